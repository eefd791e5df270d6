// Interface of a PE to its running kernel: implemented by PE_CPU, used by `tl`. Every call is made
// on the kernel's own SC_THREAD.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/address/free_list_allocator.h"
#include "models/address/phys_range.h"
#include "models/base/call_site.h"
#include "models/base/units.h"
#include "models/protocol/command.h"
#include "models/protocol/command_state.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/ipcq.h"
#include "models/protocol/machine_description.h"

namespace kernbench {

class FunctionalModel;

class KernelContext {
 public:
  virtual ~KernelContext() = default;

  // Name of the kernel's latest call, "load": the address of a text that stays, for reports. Empty:
  // none yet. `site`: its line, if known.
  void calling(const char* name, CallSite site = {}) {
    last_call_ = name;
    call_site_ = site;
  }
  const char* last_call() const { return last_call_; }
  CallSite call_site() const { return call_site_; }

  virtual PeId where() const = 0;
  virtual const KernelLaunch& launch() const = 0;
  virtual const MachineDescription& machine() const = 0;
  virtual FunctionalModel* data() = 0;  // null with data off
  // Commands and messages are to have their DataOp with data off as well, for the operation log.
  virtual bool records_parameters() const { return false; }
  virtual Fs now() const = 0;

  // Every later call ends the kernel (by an exception that the thread wrapper recognises) when the
  // launch has failed elsewhere under fail_fast.

  // Pays dispatch_cycles. The effect of a kernel call follows: memory may change in between (spec
  // 6).
  virtual void dispatch() = 0;
  // Hands the command to PE_SCHEDULER, without time.
  virtual std::shared_ptr<CommandState> issue(Command&& command) = 0;
  std::shared_ptr<CommandState> issue(const Command& command) { return issue(Command(command)); }
  // Blocks until the command has completed; throws AccessFault with its error if it failed.
  virtual void wait(CommandState& command) = 0;
  // A line for the user (tl.device_print), without the place and the time; takes no time.
  virtual void print(const std::string& /*text*/) {}
  // `n` cycles of PE_CPU's clock.
  virtual void cycles(std::uint64_t n) = 0;

  // Functional look-up without time: physical ranges of the bytes, in address order (spec 3.3).
  // Throws AccessFault.
  virtual PhysRanges translate(std::uint64_t address, std::uint64_t nbytes) const = 0;

  // --- PE_IPCQ (spec 8.1). UsageError for a direction without a queue pair, a payload above the
  // slot, a receive of another size than its message.
  virtual const IpcqSetup& ipcq_setup() const = 0;  // setup of this PE
  // Blocks until PE_DMA has taken the message.
  virtual void ipcq_send(IpcqSend message) = 0;
  // Blocks until the message has been read and its credit delivered.
  virtual IpcqReceived ipcq_receive(IpcqReceive request) = 0;
  // Starts the operation and leaves it in flight: a send ends when PE_DMA has taken the message, a
  // receive when the message has been read; its credit returns concurrently with the kernel.
  virtual std::shared_ptr<IpcqOperation> ipcq_begin(IpcqSend message) {
    IpcqOperation ended{std::make_shared<CommandState>(ended_id_++), message.direction, {}};
    ipcq_send(std::move(message));
    ended.state->complete();
    return std::make_shared<IpcqOperation>(std::move(ended));
  }
  virtual std::shared_ptr<IpcqOperation> ipcq_begin(IpcqReceive request) {
    IpcqOperation ended{std::make_shared<CommandState>(ended_id_++), request.direction, {}};
    ended.received = ipcq_receive(std::move(request));
    ended.state->complete();
    return std::make_shared<IpcqOperation>(std::move(ended));
  }
  // Blocks until a receive in flight has ended.
  virtual void wait(IpcqOperation& /*operation*/) {}
  // Reserves the next place in the order of a direction's messages; does not block.
  virtual std::uint64_t ipcq_reserve(const std::string& direction) = 0;

  // Blocks until every PE of the launch has called it as often (spec 4.5).
  virtual void barrier() {}

  // Called at the end of the kernel: "2 commands, the first of tl.composite(gemm) (k.cpp:39)" have
  // never been waited for.
  virtual void leaves_unwaited(std::string /*what*/) {}

  // The kernel's handles live here: reset at launch; offsets in the PE's TCM. Kernels that run
  // together share it, except for one whose launch has a part of its own.
  virtual FreeListAllocator& scratch() = 0;
  // Blocks until another kernel may have released scratch; returns false if no other kernel of
  // the PE holds scratch that it could release.
  virtual bool await_scratch() { return false; }
  // Text on the PE's other kernels: "; kernel 'k' has a part of it". Empty: no other kernels.
  virtual std::string scratch_sharers() const { return ""; }

 private:
  const char* last_call_ = "";
  CallSite call_site_;
  std::uint64_t ended_id_ = std::uint64_t{1} << 63;  // ids of operations that complete in the call
};

}  // namespace kernbench
