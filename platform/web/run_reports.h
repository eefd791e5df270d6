// RunReports: reports of `inspect` on one operation log, from a playback of the log on first use.
// SystemC has one context per process, so playbacks of all logs are in series.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/web/run_places.h"
#include "platform/web/web_tables.h"

namespace kernbench {

class RunReports {
 public:
  using Json = nlohmann::ordered_json;

  struct Size {
    std::uint64_t operations = 0, hops = 0;
  };
  // `machine` and `places` outlive this object.
  RunReports(std::string log, const Size& size, const ServedMachine& machine,
             const RunPlaces& places);
  ~RunReports();

  // Scalars of `inspect LOG --json --limits --kernel-limits`, tables of limits, engines, links.
  const Json& summary();
  const WebTables& tables();
  // {"launches", "launch", "kernel", "begin_fs", "end_fs", "steps": [{"node", "place",
  // "on_map", "what", "resource", "kind", "after", "start_fs", "end_fs"}], "resources"}; 0: the
  // longest launch.
  Json critical_path(std::uint64_t launch);

 private:
  struct Paths;
  void play();

  std::string log_;
  Size size_;
  const ServedMachine& machine_;
  const RunPlaces& places_;
  std::mutex mutex_;
  bool is_played_ = false;
  Json summary_;
  WebTables tables_;
  std::unique_ptr<Paths> paths_;  // from a second playback; not kept for a large log
  std::map<std::uint64_t, Json> path_answers_;
};

// {"a", "b", "note", "tables": [..]}: settings and times of `inspect A --compare B`; `places` are
// those of A. Throws UsageError: logs of different benches.
nlohmann::ordered_json compare_logs(const std::string& a, const std::string& b,
                                    const RunPlaces& places);

}  // namespace kernbench
