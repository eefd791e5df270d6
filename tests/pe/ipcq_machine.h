// A whole machine with built-in engines, a host program on it that uses torch.ipcq, and phase 2.
// Inside a forked child:
//
//   IpcqMachine m;                       // topology.tiny.yaml: one cube of 8 PEs
//   m.run([](Torch& torch) { ... });     // throws what ended the run, unless it completed
//   BOOST_TEST(m.failures() == "");      // of what the program has given to torch.verify
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/data/op_log.h"
#include "platform/numerics/data_executor.h"
#include "sc_main/judgement.h"
#include "sw/collectives/shipped_graphs.h"
#include "sw/torch/torch.h"
#include "tests/support/whole_machine.h"

namespace kernbench::test {

class IpcqMachine {
 public:
  explicit IpcqMachine(const std::string& topology = "topology.tiny.yaml",
                       const std::vector<Override>& overrides = {}, bool with_data = true) {
    register_builtin_components(registry);
    MachineSpec spec = load_machine(std::string(KERNBENCH_SOURCE_DIR) + "/configs/" + topology,
                                    overrides, registry);
    spec.source_path.clear();  // leaves no cache file behind
    PlatformOptions options;
    if (with_data) options.data = &data;
    options.op_sink = &op_log;
    platform = std::make_unique<Platform>(build_graph(std::move(spec)), registry, options);
  }

  RunResult try_run(const std::function<void(Torch&)>& body, const RunLimits& limits = {}) {
    FunctionProgram program([&](HostPort& port) {
      runtime = std::make_unique<Runtime>(port, "test");
      distributed = std::make_unique<DistributedState>(*runtime);
      runtime->memory->start_reaper();
      {
        Torch torch(*distributed, 0, 1, Attributes());
        body(torch);
        torch.wait_all();
      }
      runtime->memory->close();
    });
    return platform->run(program, limits);
  }
  Fs run(const std::function<void(Torch&)>& body) {
    const RunResult result = try_run(body);
    if (result.cause) std::rethrow_exception(result.cause);
    if (result.status != RunStatus::completed) throw std::logic_error(name_of(result.status));
    return result.simulated;
  }
  // The text of the error that a run ends with; empty if it completes.
  std::string error(const std::function<void(Torch&)>& body) { return try_run(body).error; }

  // Phase 2, and what it finds wrong with what torch.verify was told; empty if all is right.
  std::string failures() {
    DataExecutor executor(data, 2);
    executor.run();
    std::string text;
    for (const Expectation& expectation : runtime->expectations) {
      const Judgement judgement = judge(expectation, executor);
      if (!judgement.comparison.ok) text += failure_text(expectation, judgement) + "\n";
    }
    return text;
  }

  Component& engine(PeId pe, PeEngine kind) const {
    return platform->component(platform->machine().engine(pe, kind));
  }
  std::uint64_t statistic(PeId pe, PeEngine kind, const std::string& name) const {
    for (const Statistic& statistic : engine(pe, kind).statistics()) {
      if (statistic.name == name) return *statistic.value;
    }
    throw std::logic_error("no statistic '" + name + "'");
  }
  // Records of one name, in order of their starts; all PEs, or one.
  std::vector<ExecutedOp> ops(const std::string& name,
                              const sc_core::sc_object* node = nullptr) const {
    std::vector<ExecutedOp> found;
    for (const OpRecord& record : op_log.records()) {
      if (name == record.op.name && (node == nullptr || node == record.op.node))
        found.push_back(record.op);
    }
    return found;
  }

  ComponentRegistry registry;
  FunctionalModel data;
  OpLog op_log;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<DistributedState> distributed;
  std::unique_ptr<Platform> platform;
};

}  // namespace kernbench::test
