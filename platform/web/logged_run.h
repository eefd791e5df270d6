// LoggedRun: an operation log (docs/op-log.md). Its servers, bars and reports are read once, on
// first use; reports are those of `inspect`, from a playback of the log.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "platform/events/opened_log.h"
#include "platform/web/run_reports.h"
#include "platform/web/run_servers.h"
#include "platform/web/run_timeline.h"
#include "platform/web/served_run.h"

namespace kernbench {

class LoggedRun final : public ServedRun, private OpenedLog {
 public:
  // Reads all bars of a log, which takes seconds for a large one.
  using BarsReader = std::function<std::shared_ptr<const RunTimeline>(
      const std::string& log, const std::vector<LaunchRow>& launches)>;
  static std::shared_ptr<const RunTimeline> read_bars(const std::string& log,
                                                      const std::vector<LaunchRow>& launches);

  // `reader` is called by a thread. Throws UsageError as OpenedLog does.
  LoggedRun(const std::string& title, const std::string& path, const ServedMachine& machine,
            BarsReader reader = read_bars);

  Json facts() const override;
  void prepare() override;
  Json summary() override;
  Json table_list() override;
  Json table(const std::string& name, std::size_t most) override;
  const RunPlaces& places() override;
  Json place(const std::string& name, const WebInterval& interval, std::size_t most) override;
  Json timeline(const std::string& scope, const WebInterval& interval, std::size_t bins,
                std::uint64_t wait_ms) override;
  Json overview(std::size_t bins) override;
  Json critical_path(std::uint64_t launch) override;
  Json roofline() override;

 private:
  Use utilisation(const WebInterval& interval) override;
  const RunServers& servers();
  // Bars with operations, which a thread reads from the first call on; null: not yet.
  std::shared_ptr<const RunTimeline> bars(std::uint64_t wait_ms);
  const RunTimeline& kernel_bars();
  RunReports& reports();

  std::mutex mutex_;  // guards the database, `servers_`, `places_` and `reports_`
  std::mutex timeline_mutex_;
  Fs end_ = 0;
  bool has_windows_ = false;
  std::uint64_t operations_ = 0, hops_ = 0;
  std::unique_ptr<const RunServers> servers_;
  std::unique_ptr<RunPlaces> places_;
  BarsReader reader_;
  std::shared_future<std::shared_ptr<const RunTimeline>> timeline_;
  std::unique_ptr<RunTimeline> kernels_;
  std::unique_ptr<RunReports> reports_;
};

}  // namespace kernbench
