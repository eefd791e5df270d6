// A WholeMachine that plays requests; without a topology one cube, which takes a twentieth of the
// time of all to build. Inside a forked child:
//
//   TrafficMachine m;
//   const std::vector<TrafficResult> results =
//       m.play("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n");
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "platform/traffic/traffic_file.h"
#include "platform/traffic/traffic_player.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/whole_machine.h"

namespace kernbench::test {

inline const std::string csv_header = "at_ns,initiator,op,target,offset,bytes\n";

struct CsvFile : TemporaryFile {
  explicit CsvFile(const std::string& text) : TemporaryFile("requests.csv", text) {}
};

class TrafficMachine : public WholeMachine {
 public:
  explicit TrafficMachine(const std::string& topology = "topology.tiny.yaml",
                          const std::vector<Override>& overrides = {})
      : WholeMachine(topology, overrides, options()) {}

  // Once. By id. Throws what ended the run.
  std::vector<TrafficResult> play(TrafficSource& source) {
    Collected collected;
    TrafficPlayer player("traffic", *platform, source, collected);
    const RunResult result = platform->run();
    if (result.cause) std::rethrow_exception(result.cause);
    player.check_all_ended();
    return collected.results;
  }
  std::vector<TrafficResult> play(const std::string& rows) {  // without the header
    const CsvFile csv(csv_header + rows);
    TrafficFile file(csv.path(), *platform);
    file.check();
    return play(file);
  }

 private:
  struct Collected final : TrafficListener {
    void in_order(const TrafficResult& result) override { results.push_back(result); }
    std::vector<TrafficResult> results;
  };
  static MachineOptions options() {
    MachineOptions options(MachineOptions::Engines::builtin);
    options.data = false;
    options.tear_down = false;
    return options;
  }
};

}  // namespace kernbench::test
