// A whole machine from a shipped topology and a program on its host. Inside a forked child:
//
//   WholeMachine m("topology.tiny.yaml");                    // with stub engines in its PEs
//   const RunResult result = m.run([&](HostPort& port) { ... });
//
//   WholeMachine m("topology.yaml", {{"system.sips.count", "4"}}, WholeMachine::Engines::builtin);
//
// TorchMachine (torch_machine.h) runs torch programs on it, TrafficMachine requests,
// BoundaryMachine plain TLM-2.0 modules.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/data/functional_model.h"
#include "models/data/op_log.h"
#include "models/protocol/kernel_context.h"
#include "platform/assembly/builtin_components.h"
#include "platform/assembly/platform.h"
#include "platform/observe/op_parameters.h"
#include "tests/support/function_kernel.h"
#include "tests/support/shipped_graph.h"
#include "tests/support/stub_engines.h"

namespace kernbench::test {

class FunctionProgram final : public HostProgram {
 public:
  explicit FunctionProgram(std::function<void(HostPort&)> body) : body_(std::move(body)) {}
  void run(HostPort& port) override { body_(port); }

 private:
  std::function<void(HostPort&)> body_;
};

struct MachineOptions {
  enum class Engines { stubs, builtin };
  MachineOptions(Engines kind = Engines::stubs)
      : engines(kind) {}  // NOLINT(google-explicit-constructor)

  Engines engines;
  ExternalModules modules;                             // that TLM bridges can bind in
  std::function<void(ComponentRegistry&)> components;  // registers more of them
  bool data = true;
  bool records = false;    // fill op_log
  bool tear_down = false;  // SystemC destroys modules in quadratic time: left to the process's end
  bool check_protocol = true;
  std::vector<CubeId> cubes = {};  // elaborated with what they can reach; empty: all
};

// Of the engines that ship.
inline MachineOptions without_data() {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.data = false;
  return options;
}

class WholeMachine {
 public:
  using Engines = MachineOptions::Engines;

  explicit WholeMachine(const std::string& topology = "topology.tiny.yaml",
                        const std::vector<Override>& overrides = {},
                        const MachineOptions& options = {}) {
    register_components(options);
    PlatformOptions platform_options;
    platform_options.data = options.data ? &data : nullptr;
    platform_options.tear_down = options.tear_down;
    platform_options.check_protocol = options.check_protocol;
    platform_options.cubes = options.cubes;
    platform = std::make_unique<Platform>(shipped_graph(topology, overrides, registry), registry,
                                          platform_options);
    if (options.records)
      op_parameters.emplace(platform->observation(), platform->machine(), op_log);
  }

  RunResult run(std::function<void(HostPort&)> body, const RunLimits& limits = {}) {
    FunctionProgram program(std::move(body));
    return platform->run(program, limits);
  }

  std::uint64_t hbm(PeId pe, std::uint64_t offset = 0) const {
    return address(MemoryArea::hbm, pe, offset);
  }
  std::uint64_t tcm(PeId pe, std::uint64_t offset = 0) const {
    return address(MemoryArea::pe_tcm, pe, offset);
  }
  std::uint64_t address(MemoryArea area, PeId at, std::uint64_t offset) const {
    return platform->address_map()
        .address_of({area, static_cast<unsigned>(at.sip), static_cast<unsigned>(at.cube),
                     static_cast<unsigned>(at.pe), offset})
        .encode();
  }

  NodeId node(const std::string& name) const { return platform->graph().at(name); }
  Component& engine(PeId pe, PeEngine kind) const {
    return platform->component(platform->machine().engine(pe, kind));
  }
  static std::uint64_t statistic(const Component& component, const std::string& name) {
    for (const Statistic& statistic : component.statistics()) {
      if (statistic.name == name) return statistic.at(Component::now());
    }
    throw std::logic_error(std::string(component.name()) + " has no statistic '" + name + "'");
  }
  std::uint64_t statistic(PeId pe, PeEngine kind, const std::string& name) const {
    return statistic(engine(pe, kind), name);
  }
  std::uint64_t statistic(const std::string& node_name, const std::string& name) const {
    return statistic(platform->component(node(node_name)), name);
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
  StubEngines engines;
  FunctionalModel data;
  OpLog op_log;
  std::optional<OpParameters> op_parameters;
  std::unique_ptr<Platform> platform;

 private:
  void register_components(const MachineOptions& options) {
    if (options.engines == Engines::builtin) {
      register_builtin_components(registry, options.modules);
    } else {
      register_fabric_components(registry);
      register_stub_engines(registry, engines);
    }
    if (options.components) options.components(registry);
  }
};

template <class T>
std::shared_ptr<T> host_message(const std::string& request_id = "r") {
  auto message = std::make_shared<T>();
  message->correlation_id = "c";
  message->request_id = request_id;
  message->target_device = 0;
  return message;
}

inline std::shared_ptr<MemoryWrite> memory_write(PeId dst, std::uint64_t pa,
                                                 std::vector<std::uint8_t> bytes) {
  auto message = host_message<MemoryWrite>();
  message->target_device = dst.sip;
  message->dst = dst;
  message->pa = pa;
  message->nbytes = bytes.size();
  message->source = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  return message;
}

inline std::shared_ptr<MemoryRead> memory_read(PeId src, std::uint64_t pa, std::uint64_t nbytes) {
  auto message = host_message<MemoryRead>();
  message->target_device = src.sip;
  message->src = src;
  message->pa = pa;
  message->nbytes = nbytes;
  return message;
}

class NoKernel final : public KernelBody {
 public:
  void run(KernelContext&) const override {}
};

inline std::shared_ptr<KernelLaunch> kernel_launch(std::vector<PeId> targets,
                                                   const std::string& request_id = "r") {
  auto message = host_message<KernelLaunch>(request_id);
  message->kernel.name = "k";
  message->body = std::make_shared<NoKernel>();
  message->target_device = targets.empty() ? 0 : targets.front().sip;
  message->targets = std::move(targets);
  return message;
}

// Runs a kernel on one PE and returns the completion of its launch; throws what ended the run.
inline Completion run_kernel(WholeMachine& machine, std::function<void(KernelContext&)> body,
                             PeId on = {0, 0, 0}) {
  Completion completion;
  const RunResult result = machine.run([&](HostPort& port) {
    const auto launch = kernel_launch({on});
    launch->body = std::make_shared<FunctionKernel>(std::move(body));
    const auto request = port.submit(std::shared_ptr<const KernelLaunch>(launch));
    port.wait(*request);
    completion = request->response().completion;
  });
  if (result.cause) std::rethrow_exception(result.cause);
  return completion;
}

inline void issue_dma(KernelContext& context, const DmaCommand& dma) {
  Command command;
  command.what = dma;
  context.wait(*context.issue(std::move(command)));
}

template <class Map>
std::shared_ptr<Map> mmu_message(std::vector<PeId> targets) {
  auto message = host_message<Map>();
  message->entries = {{std::uint64_t{1} << 52, 0, 4096}};
  message->target_device = targets.empty() ? 0 : targets.front().sip;
  message->targets = std::move(targets);
  return message;
}

}  // namespace kernbench::test
