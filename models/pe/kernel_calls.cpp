// Calls of a kernel to its context: commands, cycles, scratch, messages.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/base/errors.h"
#include "models/base/program_end.h"
#include "models/pe/kernel_runner.h"
#include "models/pe/pe_cpu.h"

namespace kernbench {
namespace {

struct KindOfCommand {
  using Kind = KernelWait::CommandKind;
  Kind operator()(const DmaCommand&) const { return Kind::dma; }
  Kind operator()(const DotCommand&) const { return Kind::gemm; }
  Kind operator()(const MathCommand&) const { return Kind::math; }
  Kind operator()(const CompositeGemm&) const { return Kind::composite; }
  Kind operator()(const CompositeMath&) const { return Kind::composite; }
};

}  // namespace

// --- The machine

PeId KernelRunner::where() const { return cpu_.where_(); }
const MachineDescription& KernelRunner::machine() const { return cpu_.machine_.machine(); }
FunctionalModel* KernelRunner::data() { return cpu_.machine_.data(); }
bool KernelRunner::records_parameters() const {
  return cpu_.machine_.observation().records_parameters;
}
Fs KernelRunner::now() const { return Component::now(); }
void KernelRunner::print(const std::string& text) {
  report_log_line(LogLevel::info, cpu_.name(), text);
}

PhysRanges KernelRunner::translate(std::uint64_t address, std::uint64_t nbytes) const {
  TranslationRequest request;
  request.address = address;
  request.nbytes = nbytes;
  cpu_.to_mmu_.look(request);
  return std::move(request.ranges);
}

// --- Commands

void KernelRunner::dispatch() {
  // What the kernel has freed since its last call.
  if (!cpu_.runs_alone(*this)) cpu_.scratch_freed_.notify(sc_core::SC_ZERO_TIME);
  cycles(cpu_.call_cycles(next_call_++));
  check_abort();  // also of one that came meanwhile: the call does nothing any more
}

std::shared_ptr<CommandState> KernelRunner::issue(Command&& command) {
  check_abort();
  auto state = std::make_shared<CommandState>(cpu_.next_command_++);
  const KernelWait::CommandKind kind = std::visit(KindOfCommand{}, command.what);
  cpu_.command_queue_.submit(commands_, state, std::move(command));
  ++cpu_.commands_;
  last_command_ = state->id();
  if (command_signal_ != nullptr) command_signal_->set(last_command_);
  remember({state, kind});
  return state;
}

void KernelRunner::remember(Issued command) {
  if (unwaited_.size() >= unwaited_at_most_) {
    const auto resolved = [](const Issued& old) {
      return old.state == nullptr || (old.state->done() && old.state->error().empty());
    };
    unwaited_.erase(std::remove_if(unwaited_.begin(), unwaited_.end(), resolved), unwaited_.end());
    unwaited_at_most_ = std::max<std::size_t>(16, 2 * unwaited_.size());
  }
  command.id = command.state->id();
  unwaited_.push_back(std::move(command));
}

void KernelRunner::wait(CommandState& command) {
  check_abort();
  auto found = unwaited_.end();
  if (!unwaited_.empty() && unwaited_.back().id == command.id())
    --found;
  else
    found = std::lower_bound(unwaited_.begin(), unwaited_.end(), command.id(),
                             [](const Issued& each, std::uint64_t id) { return each.id < id; });
  Issued issued;  // keeps it alive
  if (found != unwaited_.end() && found->state.get() == &command) {
    issued = std::move(*found);
    found->state.reset();
    if (found + 1 == unwaited_.end()) unwaited_.pop_back();
  }
  if (!command.done()) {
    KernelWait wait;
    wait.command = command.id();
    wait.command_kind = issued.kind;
    wait.reason = issued.reason;
    show(State::waiting_for_command);
    command.wakes(resumed_);
    const char* kind = wait.reason == KernelWait::Reason::send ? "send" : "command";
    const auto what = [&command, kind] { return fmt::format("{} {}", kind, command.id()); };
    await_or_end([&command] { return command.done(); }, what, wait);
    show(State::running);
  }
  if (!command.error().empty()) throw AccessFault(command.error());
}

void KernelRunner::cycles(std::uint64_t n) {
  check_abort();
  if (n == 0) return;
  const Fs end = end_of_cycles(n);
  cpu_.cycles_ += n;
  wait_in_program([&] { sc_core::wait(cpu_.work_at(end)); });
}

Fs KernelRunner::end_of_cycles(std::uint64_t n) const {
  try {
    const Fs delay = cycles_to_fs(n, *cpu_.parameters_.clock_ghz);
    if (delay <= never_fs - now()) return now() + delay;
  } catch (const std::overflow_error&) {
  }
  throw UsageError(fmt::format("tl.cycles({}): {}", n, Component::end_of_time));
}

void KernelRunner::barrier() {
  check_abort();
  if (launch().targets.size() == 1 && !launch().on_several_sips()) return;
  at_barrier_ = true;
  cpu_.reach_barrier(*launch_);
  show(State::waiting_for_barrier);
  KernelWait wait;
  wait.reason = KernelWait::Reason::barrier;
  await_or_end([this] { return !at_barrier_; },
               [] { return "tl.barrier, which other PEs of the launch have not reached,"; }, wait);
  show(State::running);
}

// --- Scratch

FreeListAllocator& KernelRunner::scratch() {
  return own_scratch_ != nullptr ? *own_scratch_ : *cpu_.scratch_;
}

// Of a PE without other kernels it is empty: a kernel that was ended may have left something.
void KernelRunner::prepare_scratch() {
  std::unique_ptr<FreeListAllocator>& shared = cpu_.scratch_;
  const std::uint64_t all = *cpu_.parameters_.scratch_bytes;
  if (shared == nullptr || (shared->allocations() > 0 && cpu_.runs_alone(*this)))
    shared = std::make_unique<FreeListAllocator>("scratch", 0, all);
  const std::uint64_t part = std::min(launch().scratch_bytes, all);
  if (part == 0) return;
  while (shared->largest_free_bytes() < part && await_scratch()) {
  }
  own_scratch_ = std::make_unique<FreeListAllocator>("scratch", shared->allocate(part, 16), part);
}

bool KernelRunner::await_scratch() {
  if (own_scratch_ != nullptr || !cpu_.others_free_scratch(*this)) return false;
  struct Awaits {
    bool& flag;
    explicit Awaits(bool& of) : flag(of) { flag = true; }
    ~Awaits() { flag = false; }
  } const awaits(awaits_scratch_);
  const std::string what =
      fmt::format("scratch for kernel '{}'{}", launch().kernel.name, scratch_sharers());
  wait_in_program([&] { cpu_.await(cpu_.scratch_freed_ | resumed_, what); });
  check_abort();
  return true;
}

std::string KernelRunner::scratch_sharers() const {
  std::string text;
  for (const auto& runner : cpu_.runners_) {
    if (runner.get() == this || !runner->busy()) continue;
    text += fmt::format("{} '{}'", text.empty() ? "; the PE is shared with kernel" : " and",
                        runner->message().kernel.name);
  }
  return text;
}

// --- PE_IPCQ

void KernelRunner::ipcq_send(IpcqSend message) {
  check_abort();
  const std::string what = fmt::format("tl.send in direction '{}'", message.direction);
  operation_ = IpcqRequest();
  operation_.what = std::move(message);
  run_ipcq_operation(what);
}

IpcqReceived KernelRunner::ipcq_receive(IpcqReceive request) {
  check_abort();
  const std::string what = request.direction.empty()
                               ? std::string("tl.recv in any direction")
                               : fmt::format("tl.recv in direction '{}'", request.direction);
  operation_ = IpcqRequest();
  operation_.what = std::move(request);
  run_ipcq_operation(what);
  return std::move(operation_.received);
}

std::uint64_t KernelRunner::ipcq_reserve(const std::string& direction) {
  check_abort();
  IpcqRequest request;
  request.stream = launch().stream;
  request.what = IpcqReservation{direction};
  cpu_.to_ipcq_.ask(request);
  return std::get<IpcqReservation>(request.what).place;
}

const IpcqSetup& KernelRunner::ipcq_setup() const {
  IpcqRequest request;
  cpu_.to_ipcq_.look(request);
  return *request.setup;
}

void KernelRunner::run_ipcq_operation(const std::string& what) {
  operation_ended_ = false;
  operation_.stream = launch().stream;
  KernelWait wait;
  wait.reason = std::holds_alternative<IpcqSend>(operation_.what) ? KernelWait::Reason::send
                                                                  : KernelWait::Reason::receive;
  cpu_.to_ipcq_.begin(operation_);
  show(State::waiting_for_ipcq);
  await_or_end([this] { return operation_ended_; }, [&what] { return what; }, wait);
  show(State::running);
  if (!operation_.error.empty()) throw QueuesResetError(operation_.error);
}

// --- Sends and receives under way

std::shared_ptr<IpcqOperation> KernelRunner::ipcq_begin(IpcqSend message) {
  check_abort();
  UnderWay& request = under_way_.take();
  std::string direction = message.direction;
  request.what = std::move(message);
  std::shared_ptr<IpcqOperation> operation = leave_under_way(request, std::move(direction));
  ++sends_under_way_;
  remember({operation->state, KernelWait::CommandKind::none, KernelWait::Reason::send});
  return operation;
}

std::shared_ptr<IpcqOperation> KernelRunner::ipcq_begin(IpcqReceive message) {
  check_abort();
  UnderWay& request = under_way_.take();
  std::string direction = message.direction;
  message.awaits_credit = false;
  request.what = std::move(message);
  return leave_under_way(request, std::move(direction));
}

std::shared_ptr<IpcqOperation> KernelRunner::leave_under_way(UnderWay& request,
                                                             std::string direction) {
  auto operation = std::make_shared<IpcqOperation>();
  operation->state = std::make_shared<CommandState>(cpu_.next_command_++);
  operation->direction = std::move(direction);
  request.operation = operation;
  request.stream = launch().stream;
  try {
    cpu_.to_ipcq_.begin(request);
  } catch (...) {
    under_way_.give_back(request);
    throw;
  }
  return operation;
}

void KernelRunner::wait(IpcqOperation& operation) {
  check_abort();
  if (!operation.state->done()) {
    show(State::waiting_for_ipcq);
    KernelWait wait;
    wait.reason = KernelWait::Reason::receive;
    operation.state->wakes(resumed_);
    const auto what = [&operation] {
      return fmt::format("tl.recv in direction '{}'", operation.direction);
    };
    await_or_end([&operation] { return operation.state->done(); }, what, wait);
    show(State::running);
  }
  if (!operation.state->error().empty()) throw QueuesResetError(operation.state->error());
}

// The kernel has returned: its messages leave before the launch is answered.
void KernelRunner::drain_sends() {
  KernelWait wait;
  wait.reason = KernelWait::Reason::send;
  if (sends_under_way_ > 0)
    await_or_end([this] { return sends_under_way_ == 0; }, [] { return "the last sends"; }, wait);
}

void KernelRunner::ipcq_ended(IpcqRequest& request) {
  if (&request == &operation_) {
    operation_ended_ = true;
  } else {
    auto& under_way = static_cast<UnderWay&>(request);
    IpcqOperation& operation = *under_way.operation;
    if (std::holds_alternative<IpcqSend>(request.what)) --sends_under_way_;
    operation.received = std::move(request.received);
    if (!request.error.empty()) operation.state->fail(request.error);
    operation.state->complete();
    under_way_.give_back(under_way);
  }
  resumed_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace kernbench
