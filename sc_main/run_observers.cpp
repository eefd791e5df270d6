#include "sc_main/run_observers.h"

#include "sc_main/result_files.h"

namespace kernbench {

void ObserverOptions::check() const {
  trace.check();
  timeline.check();
  log.requests();
}

std::vector<std::string> ObserverOptions::files() const {
  std::vector<std::string> files = trace.files();
  files.insert(files.end(), {trace_requests, stats, timeline.file});
  return files;
}

RunObservers::RunObservers(const ObserverOptions& options, Platform& platform,
                           const std::string& configuration,
                           const std::vector<std::string>& default_scope,
                           std::optional<RankUnit> ranks)
    : options_(options), tracing_(options.trace, platform, default_scope),
      log_(options.log, platform, ranks) {
  if (!options.stats.empty())
    statistics_.emplace(open_result(options.stats, configuration), platform);
  tracing_.open(configuration);
  if (!options.trace_requests.empty()) {
    requests_file_ = open_result(options.trace_requests, configuration);
    requests_.emplace(platform, requests_file_->out());
  }
  timeline_ = options.timeline.observe(platform, configuration);
}

void RunObservers::close(Fs end) {
  tracing_.close(end);
  if (requests_) {
    requests_->close();
    requests_file_->close();
  }
  options_.timeline.close(timeline_.get());
}

}  // namespace kernbench
