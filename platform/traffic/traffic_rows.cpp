#include "platform/traffic/traffic_rows.h"

#include <fmt/format.h>

namespace kernbench {

std::string fixed_ns(Fs t) { return fmt::format("{}.{:06}", t / fs_per_ns, t % fs_per_ns); }

std::string path_text(Platform& platform, NodeId initiator, NodeId target) {
  std::string text;
  for (const PathHop& hop : platform.routes().memory_path(initiator, target).hops()) {
    if (!text.empty()) text += '>';
    text += platform.machine().name(hop.node);
  }
  return text;
}

TrafficRows::TrafficRows(Platform& platform, std::ostream& out, Format format) : platform_(platform), out_(out), format_(format) {}

void TrafficRows::begin() {
  if (format_ == Format::csv) out_ << "id,issue_ns,grant_ns,end_ns,latency_ns,bytes,path\n";
  if (format_ == Format::json) out_ << "{\"requests\": [";
}

void TrafficRows::row(const TrafficResult& result) {
  if (format_ == Format::none) return;
  const TrafficRequest& request = result.request;
  const std::string path = path_text(platform_, request.initiator, request.target);
  const char* const form = format_ == Format::csv
                               ? "{}{},{},{},{},{},{},{}\n"
                               : "{}\n  {{\"id\": {}, \"issue_ns\": {}, \"grant_ns\": {}, \"end_ns\": {}, \"latency_ns\": {}, \"bytes\": {}, \"path\": \"{}\"}}";
  out_ << fmt::format(fmt::runtime(form), format_ == Format::json && !first_ ? "," : "", request.id, fixed_ns(request.issue), fixed_ns(result.grant),
                      fixed_ns(result.end), fixed_ns(result.latency()), request.bytes, path);
  first_ = false;
}

void TrafficRows::end() {
  if (format_ == Format::json) out_ << "\n]";
}

}  // namespace kernbench
