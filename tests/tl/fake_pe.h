// A PE without time: the effects of a kernel on values, with commands that complete at the test's
// request.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "models/base/atomic_op.h"
#include "models/data/functional_model.h"
#include "models/protocol/kernel_context.h"
#include "sw/tl/kernel.h"
#include "sw/tl/recorder.h"

namespace kernbench::test {

// Extents and sizes of the shipped machine. All memory is one, at node 0; an engine of PE n of its
// cube is node n.
inline MachineDescription fake_machine() {
  static const Attributes none;
  MachineDescription machine;
  machine.sips = machine.sip_w = 2;
  machine.cube_mesh_w = machine.cube_mesh_h = 4;
  machine.pes = 8;
  machine.hbm_interleave = {8, 256};
  machine.hbm_slice_bytes = std::uint64_t{6} << 30;
  machine.sram_bytes = 32 << 20;
  machine.tcm_bytes = 2 << 20;
  machine.tcm_reserved_bytes = 512 << 10;
  machine.scratch_bytes = 1 << 20;
  machine.page_bytes = 4096;
  machine.size_tables(0);
  for (std::vector<NodeId>& engines : machine.tables.engines) {
    for (std::size_t i = 0; i < engines.size(); ++i) engines[i] = static_cast<NodeId>(i % 8);
  }
  machine.nodes.assign(8, {"", "", &none});
  machine.memory_map = MemoryMap({{0, std::numeric_limits<std::uint64_t>::max(), 0}});
  return machine;
}

class FakePe : public KernelContext {
 public:
  explicit FakePe(bool with_data = true, std::uint64_t scratch_bytes = 1 << 20)
      : with_data_(with_data), scratch_("scratch", 0, scratch_bytes) {}

  PeId where() const override { return {0, 1, 2}; }
  const KernelLaunch& launch() const override { return launch_; }
  const MachineDescription& machine() const override { return machine_; }
  FunctionalModel* data() override { return with_data_ ? &functional_model : nullptr; }
  Fs now() const override { return 0; }
  void dispatch() override {
    ++dispatches;
    if (at_dispatch) at_dispatch();
  }
  std::shared_ptr<CommandState> issue(Command&& command) override {
    auto state = std::make_shared<CommandState>(commands.size());
    if (const auto* dma = std::get_if<DmaCommand>(&command.what); dma != nullptr && dma->atomic)
      serve(*dma->atomic, dma->nbytes);
    commands.push_back(std::move(command));
    if (completes_at_once) state->complete();
    states.push_back(state);
    return state;
  }
  void wait(CommandState& command) override {
    waits.push_back(command.id());
    if (!command.error().empty()) throw AccessFault(command.error());
    if (!command.done()) command.complete();
  }
  void print(const std::string& text) override { printed.push_back(text); }
  void cycles(std::uint64_t n) override { cycles_spent += n; }
  // Virtual addresses are physical here, split where the test wants a shard to end.
  PhysRanges translate(std::uint64_t address, std::uint64_t nbytes) const override {
    if (split == 0 || address >= split || address + nbytes <= split) return {{address, nbytes}};
    return {{address, split - address}, {split, address + nbytes - split}};
  }
  FreeListAllocator& scratch() override { return scratch_; }
  const IpcqSetup& ipcq_setup() const override { return setup; }
  void ipcq_send(IpcqSend message) override { sent.push_back(std::move(message)); }
  IpcqReceived ipcq_receive(IpcqReceive request) override {
    received.push_back(std::move(request));
    return answers.empty() ? IpcqReceived{"E", nullptr} : answers.at(received.size() - 1);
  }
  std::uint64_t ipcq_reserve(const std::string&) override { return next_place++; }

  FunctionalModel functional_model;
  std::vector<Command> commands;
  std::vector<std::shared_ptr<CommandState>> states;
  std::vector<std::uint64_t> waits;
  std::vector<std::string> printed;
  std::uint64_t cycles_spent = 0, split = 0, dispatches = 0;
  std::function<void()> at_dispatch;  // what happens while dispatch_cycles are paid
  bool completes_at_once = true;
  KernelLaunch launch_;
  IpcqSetup setup;
  std::vector<IpcqSend> sent;
  std::vector<IpcqReceive> received;
  std::vector<IpcqReceived> answers;  // to the receives, in their order
  std::uint64_t next_place = 0;

 private:
  // At the issue, as one part.
  static void serve(const AtomicAccess& access, std::uint64_t nbytes) {
    if (access.effect != nullptr && nbytes > 0) access.effect->serve({{0, nbytes}}, 0);
  }

  bool with_data_;
  MachineDescription machine_ = fake_machine();
  FreeListAllocator scratch_;
};

}  // namespace kernbench::test
