// A whole machine from a shipped topology, with stub engines in its PEs, and a program on its host.
// Inside a forked child:
//
//   WholeMachine m("topology.tiny.yaml");
//   const RunResult result = m.run([&](HostPort& port) { ... });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/data/functional_model.h"
#include "models/protocol/kernel_context.h"
#include "platform/assembly/builtin_components.h"
#include "platform/assembly/platform.h"
#include "platform/topology/build_graph.h"
#include "platform/topology/load_machine.h"
#include "tests/support/function_kernel.h"
#include "tests/support/stub_engines.h"

namespace kernbench::test {

class FunctionProgram final : public HostProgram {
 public:
  explicit FunctionProgram(std::function<void(HostPort&)> body) : body_(std::move(body)) {}
  void run(HostPort& port) override { body_(port); }

 private:
  std::function<void(HostPort&)> body_;
};

class WholeMachine {
 public:
  enum class Engines { stubs, builtin };

  explicit WholeMachine(const std::string& topology, const std::vector<Override>& overrides = {},
                        Engines kind = Engines::stubs) {
    if (kind == Engines::builtin) {
      register_builtin_components(registry);
    } else {
      register_fabric_components(registry);
      register_stub_engines(registry, engines);
    }
    MachineSpec spec = load_machine(std::string(KERNBENCH_SOURCE_DIR) + "/configs/" + topology,
                                    overrides, registry);
    spec.source_path.clear();  // leaves no cache file behind
    PlatformOptions options;
    options.data = &data;
    platform = std::make_unique<Platform>(build_graph(std::move(spec)), registry, options);
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

  ComponentRegistry registry;
  StubEngines engines;
  FunctionalModel data;
  std::unique_ptr<Platform> platform;
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

template <class Map>
std::shared_ptr<Map> mmu_message(std::vector<PeId> targets) {
  auto message = host_message<Map>();
  message->entries = {{std::uint64_t{1} << 52, 0, 4096}};
  message->target_device = targets.empty() ? 0 : targets.front().sip;
  message->targets = std::move(targets);
  return message;
}

}  // namespace kernbench::test
