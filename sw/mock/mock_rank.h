// MockRank: the kernel context of one rank of a MockRuntime. Commands complete at their call; a
// call that waits for another rank yields to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/protocol/kernel_context.h"
#include "sw/mock/mock_memory.h"
#include "sw/mock/mock_rings.h"
#include "sw/mock/turns.h"

namespace kernbench {

// State shared by the ranks of a run.
struct MockRun {
  MockMemory& memory;
  MockRings& rings;
  Turns& turns;
  int calls_per_turn;
  std::vector<int> ranks{};               // by seat
  std::vector<std::uint64_t> barriers{};  // barriers reached, by seat
  std::vector<std::string> printed{};
  Fs now = 0;  // call counter of all ranks: each access has a distinct time
};

class MockRank final : public KernelContext {
 public:
  // `seat`: index of the rank in the run.
  MockRank(MockRun& run, std::size_t seat, PeId where, KernelLaunch launch,
           std::uint64_t scratch_bytes);

  int rank() const { return run_.ranks[seat_]; }
  void run_kernel();

  std::string last_call_text() const;  // "tl.recv (k.cpp:12)"
  // "a message in direction 'W' of sip0.cube0.pe3"; empty: not waiting.
  std::string waits_for() const { return waits_for_ ? waits_for_() : std::string(); }
  const std::string& unwaited() const { return unwaited_; }

  PeId where() const override { return where_; }
  const KernelLaunch& launch() const override { return launch_; }
  const MachineDescription& machine() const override { return run_.memory.machine(); }
  FunctionalModel* data() override { return &run_.memory.data(); }
  Fs now() const override { return run_.now; }
  void dispatch() override;
  std::shared_ptr<CommandState> issue(Command&& command) override;
  void wait(CommandState& command) override;
  void print(const std::string& text) override;
  void cycles(std::uint64_t /*n*/) override {}
  PhysRanges translate(std::uint64_t address, std::uint64_t nbytes) const override {
    return run_.memory.translate(address, nbytes);
  }
  const IpcqSetup& ipcq_setup() const override { return run_.rings.setup(where_); }
  void ipcq_send(IpcqSend message) override;
  IpcqReceived ipcq_receive(IpcqReceive request) override;
  std::shared_ptr<IpcqOperation> ipcq_begin(IpcqSend message) override;
  std::shared_ptr<IpcqOperation> ipcq_begin(IpcqReceive request) override;
  void wait(IpcqOperation& operation) override;
  std::uint64_t ipcq_reserve(const std::string& direction) override;
  void barrier() override;
  void leaves_unwaited(std::string what) override { unwaited_ = std::move(what); }
  FreeListAllocator& scratch() override { return scratch_; }

 private:
  using Text = std::function<std::string()>;
  void wait_until(const Turns::Ready& ready, const Text& what);
  Text send_text(const std::string& direction) const;
  Text receive_text(const std::string& direction) const;

  MockRun& run_;
  const std::size_t seat_;
  const PeId where_;
  const KernelLaunch launch_;
  FreeListAllocator scratch_;
  std::uint64_t next_command_ = 0;
  int calls_ = 0;  // calls in the current turn
  Text waits_for_;
  std::map<std::uint64_t, std::string> sends_;  // direction of each send, by operation id
  std::string unwaited_;
};

}  // namespace kernbench
