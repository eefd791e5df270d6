// A machine that plays requests, in a forked child.
//
//   TrafficMachine m("topology.tiny.yaml");
//   const std::vector<TrafficResult> results =
//       m.play("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n");
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/assembly/platform.h"
#include "platform/topology/load_machine.h"
#include "platform/traffic/traffic_file.h"
#include "platform/traffic/traffic_player.h"

namespace kernbench::test {

// A file that goes away with this object.
class TemporaryCsv {
 public:
  explicit TemporaryCsv(const std::string& text);
  ~TemporaryCsv();
  TemporaryCsv(const TemporaryCsv&) = delete;
  TemporaryCsv& operator=(const TemporaryCsv&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline const std::string csv_header = "at_ns,initiator,op,target,offset,bytes\n";

struct TrafficMachine {
  explicit TrafficMachine(const std::string& topology = "topology.yaml",
                          const std::vector<Override>& overrides = {});

  // Once. By id. Throws what ended the run.
  std::vector<TrafficResult> play(TrafficSource& source);
  std::vector<TrafficResult> play(const std::string& rows);  // without the header
  NodeId node(const std::string& name) const { return platform->graph().at(name); }

  ComponentRegistry registry;
  std::unique_ptr<Platform> platform;
};

}  // namespace kernbench::test
