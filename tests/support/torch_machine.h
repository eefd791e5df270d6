// A WholeMachine with built-in engines and a torch program on its host, and phase 2. Inside a
// forked child:
//
//   TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
//   m.run([&](Torch& torch) {            // throws what ended the run, unless it completed
//     on_ranks(torch, {{"algorithm", "ring_allreduce"}}, [&](int rank) { ... });
//   });
//   BOOST_TEST(m.failures() == "");      // of what the program has given to torch.verify
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/data/race_detector.h"
#include "platform/phase2/data_executor.h"
#include "sc_main/output_verification.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/distributed/distributed_state.h"
#include "sw/torch/torch.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

namespace kernbench::test {

class TorchMachine : public WholeMachine {
 public:
  explicit TorchMachine(const std::string& topology = "topology.tiny.yaml",
                        const std::vector<Override>& overrides = {}, bool with_data = true,
                        std::function<void(ComponentRegistry&)> components = {})
      : WholeMachine(topology, overrides, options(with_data, std::move(components))) {
    data.detect_races();
  }

  RunResult try_run(const std::function<void(Torch&)>& body, const RunLimits& limits = {}) {
    return WholeMachine::run(
        [&](HostPort& port) {
          runtime = std::make_unique<Runtime>(port, "test");
          distributed = std::make_unique<DistributedState>(*runtime);
          runtime->memory->start_reaper();
          {
            Torch torch(*distributed, 0, 1, Attributes());
            body(torch);
            torch.wait_all();
          }
          runtime->memory->close();
        },
        limits);
  }
  Fs run(const std::function<void(Torch&)>& body) {
    const RunResult result = try_run(body);
    if (result.cause) std::rethrow_exception(result.cause);
    if (result.status != RunStatus::completed) throw std::logic_error(name_of(result.status));
    return result.simulated;
  }
  // The text of the error that a run ends with; empty if it completes.
  std::string error(const std::function<void(Torch&)>& body) { return try_run(body).error; }

  // Runs phase 2; mismatches of the tensors given to torch.verify, and accesses that nothing
  // orders; empty if there are none.
  std::string failures() {
    DataExecutor executor(data, 2);
    executor.run();
    std::string text;
    for (const Expectation& expectation : runtime->expectations) {
      const OutputVerification verification = verify_output(expectation, executor);
      if (!verification.comparison.ok) text += failure_text(expectation, verification) + "\n";
    }
    for (const Race& race : data.races()->races()) text += race.text() + "\n";
    return text;
  }

  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<DistributedState> distributed;

 private:
  static MachineOptions options(bool with_data,
                                std::function<void(ComponentRegistry&)> components) {
    MachineOptions options(MachineOptions::Engines::builtin);
    options.data = with_data;
    options.records = true;
    options.components = std::move(components);
    return options;
  }
};

// Overrides for SIPs of one cube each, or of mesh_w x mesh_h.
inline std::vector<Override> sips(const std::string& topology, int w, int h = 1, int mesh_w = 1,
                                  int mesh_h = 1) {
  return {
      {"system.sips.count", std::to_string(w * h)}, {"system.sips.topology", topology},
      {"system.sips.w", std::to_string(w)},         {"system.sips.h", std::to_string(h)},
      {"sip.cube_mesh.w", std::to_string(mesh_w)},  {"sip.cube_mesh.h", std::to_string(mesh_h)}};
}

// As a ccl.yaml with rank_unit pe would have it.
inline void ranks_are_pes(DistributedState& distributed, const std::string& algorithm,
                          std::int64_t world_size) {
  CclFile file;
  file.algorithm = algorithm;
  file.defaults.set("rank_unit", std::string("pe"));
  file.defaults.set("world_size", world_size);
  distributed.configure(file, std::make_shared<const AlgorithmRegistry>(shipped_algorithms()));
}

// The body on every rank of a process group of its own: on all devices, or on some.
inline void on_ranks(Torch& torch, const CclChanges& changes, int ranks,
                     const std::function<void(int rank)>& body) {
  torch.multiprocessing.spawn(
      [&](int rank) {
        torch.ahbm.set_device(rank);
        torch.distributed.init_process_group("ahbm", changes);
        body(rank);
      },
      ranks);
}
inline void on_ranks(Torch& torch, const CclChanges& changes,
                     const std::function<void(int rank)>& body) {
  on_ranks(torch, changes, torch.ahbm.device_count(), body);
}

}  // namespace kernbench::test
