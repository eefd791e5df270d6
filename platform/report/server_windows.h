// ServerWindows: servers of a machine and their use in the windows of a run (run_rows.h).
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/events/event_source.h"
#include "platform/output/table.h"

namespace kernbench {

class ServerWindows final : private tlm::tlm_analysis_if<ServerRow>,
                            private tlm::tlm_analysis_if<WindowRow>,
                            private tlm::tlm_analysis_if<ServerUseRow> {
 public:
  // `keeps`: windows by name; empty: all.
  explicit ServerWindows(EventSource& events,
                         std::function<bool(const std::string& name)> keeps = {});

  std::vector<std::string> names() const;  // windows with a server that was used
  // Window of that name, or the windows "time N" that overlap [from, to) as one unnamed window;
  // length 0: none.
  WindowRow window(const std::string& name) const;
  WindowRow window(Fs from, Fs to) const;
  // Servers used in the window, the busiest first: all columns of ServerRow and ServerUseRow, busy
  // time also as a share of the window. Empty: no such window, or an empty one.
  Table table(const std::string& window) const;
  // Same table over the windows "time N" that overlap [from, to).
  Table table(Fs from, Fs to) const;
  // Visits each server used in the window of that name.
  void for_each_used(const std::string& window,
                     const std::function<void(const ServerRow&, const ServerUseRow&)>& visit) const;

 private:
  struct Window {
    WindowRow row;
    std::vector<ServerUseRow> use;
  };
  void write(const ServerRow& row) override { servers_.emplace(row.id, row); }
  void write(const WindowRow& row) override;
  void write(const ServerUseRow& row) override;
  Table table_of(const std::vector<ServerUseRow>& use, Fs length) const;

  std::function<bool(const std::string& name)> keeps_;
  std::unordered_map<std::uint64_t, ServerRow> servers_;  // looked up only
  std::vector<Window> windows_;
  bool keeps_last_ = false;
  AnalysisBinding<ServerRow> server_rows_;
  AnalysisBinding<WindowRow> window_rows_;
  AnalysisBinding<ServerUseRow> use_rows_;
};

}  // namespace kernbench
