// RunServers: use of the servers in an operation log, in the window `pe` of the whole run and in
// its windows of time. Read once, by the constructor.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/events/op_log_schema.h"
#include "platform/observe/server_usage.h"
#include "platform/web/served_run.h"

namespace kernbench {

class RunServers {
 public:
  using Json = nlohmann::ordered_json;

  // `machine` outlives this object. `end`: of the run.
  RunServers(const SQLite::Database& log, Fs end, const ServedMachine& machine);

  // As the functions of ServedRun. WebError 404: the log has no windows of time.
  ServedRun::Use utilisation(const WebInterval& interval) const;
  Json place(const std::string& name, const WebInterval& interval, std::size_t most) const;
  Json overview(std::size_t bins) const;
  void add_to(RunPlaces& places) const;

 private:
  struct Server {
    ServerRow row;
    NodeId node = no_node;       // none for a link
    const Edge* link = nullptr;  // null for a node
    ServerUse whole;             // in the window `whole_`
    // In windows of time, ascending by index.
    std::vector<std::pair<std::size_t, ServerUse>> windows;
  };
  struct Windows {
    ServedRun::UsedWindow used;
    std::size_t first = 0, last = 0;  // windows of time [first, last)
  };

  Windows windows_of(const WebInterval& interval) const;
  static ServerUse use_of(const Server& server, const WebInterval& interval,
                          const Windows& windows);
  static double share_of(const Server& server, const ServerUse& use, Fs length);
  Json server_json(const Server& server, const ServerUse& use, double share) const;

  const ServedMachine& machine_;
  Fs end_;
  std::vector<Server> servers_;
  ServedRun::UsedWindow whole_;
  std::vector<WindowRow> time_windows_;
};

}  // namespace kernbench
