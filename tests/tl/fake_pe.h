// A PE without time: what a kernel does to values, with commands that complete when the test says
// so.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/data/functional_model.h"
#include "models/protocol/kernel_context.h"
#include "sw/tl/kernel.h"
#include "sw/tl/recorder.h"

namespace kernbench::test {

class FakeMachine : public MachineView {
 public:
  int sips() const override { return 2; }
  int cube_mesh_w() const override { return 4; }
  int cube_mesh_h() const override { return 4; }
  int pes() const override { return 8; }
  std::string sip_topology() const override { return "ring_1d"; }
  int sip_w() const override { return 2; }
  int sip_h() const override { return 1; }
  AddressModel address_model() const override { return model; }
  HbmMapping hbm_mapping() const override { return mapping; }
  ChannelInterleave hbm_interleave() const override { return {8, 256}; }
  std::uint32_t flit_bytes() const override { return 256; }
  std::uint64_t hbm_slice_bytes() const override { return hbm_slice; }
  std::uint64_t sram_bytes() const override { return 32 << 20; }
  std::uint64_t tcm_bytes() const override { return 2 << 20; }
  std::uint64_t tcm_reserved_bytes() const override { return 512 << 10; }
  std::uint64_t scratch_bytes() const override { return 1 << 20; }
  std::uint64_t page_bytes() const override { return 4096; }
  NodeId pcie_ep(int) const override { return 0; }
  NodeId io_cpu(int) const override { return 0; }
  NodeId m_cpu(int, int) const override { return 0; }
  NodeId sram(int, int) const override { return 0; }
  NodeId hbm(PeId) const override { return 0; }
  NodeId engine(PeId pe, PeEngine) const override { return static_cast<NodeId>(pe.pe); }
  MemoryTarget place_of(std::uint64_t address) const override { return {0, address}; }
  std::uint32_t nodes() const override { return 0; }
  const std::string& name(NodeId) const override { return text_; }
  NodeId find(const std::string&) const override { return no_node; }
  const std::string& kind(NodeId) const override { return text_; }
  const Attributes& attributes(NodeId) const override { return attributes_; }

  std::uint64_t hbm_slice = std::uint64_t{6} << 30;
  AddressModel model = AddressModel::va;
  HbmMapping mapping = HbmMapping::n_to_one;

 private:
  std::string text_;
  Attributes attributes_;
};

class FakePe final : public KernelContext {
 public:
  explicit FakePe(bool with_data = true, std::uint64_t scratch_bytes = 1 << 20)
      : with_data_(with_data), scratch_("scratch", 0, scratch_bytes) {}

  PeId where() const override { return {0, 1, 2}; }
  const KernelLaunch& launch() const override { return launch_; }
  const MachineView& machine() const override { return machine_; }
  FunctionalModel* data() override { return with_data_ ? &functional_model : nullptr; }
  Fs now() const override { return 0; }
  void dispatch() override {
    ++dispatches;
    if (at_dispatch) at_dispatch();
  }
  std::shared_ptr<CommandState> issue(Command command) override {
    auto state = std::make_shared<CommandState>(commands.size());
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
  bool with_data_;
  FakeMachine machine_;
  FreeListAllocator scratch_;
};

}  // namespace kernbench::test
