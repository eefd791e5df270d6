#include "models/pe/kernel_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/base/errors.h"
#include "models/base/log.h"
#include "models/base/program_end.h"

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

bool KernelResources::runs_alone(const KernelCalls& kernel) const {
  return kernels.size() == 1 ||
         std::none_of(kernels.begin(), kernels.end(),
                      [&](const KernelCalls* each) { return each != &kernel && each->busy(); });
}

bool KernelResources::others_free_scratch(const KernelCalls& kernel) const {
  return std::any_of(kernels.begin(), kernels.end(), [&](const KernelCalls* each) {
    return each != &kernel && each->busy() && !each->awaits_scratch();
  });
}

KernelCalls::KernelCalls(KernelResources& pe,
                         std::function<void(const ArrivedLaunch&)> reach_barrier)
    : pe_(pe), reach_barrier_(std::move(reach_barrier)) {
  pe_.kernels.push_back(this);
}

// --- Signals

std::vector<SignalDeclaration> KernelCalls::signals_of(const std::string& number) {
  return {{"state" + number, "state of the kernel",
           SignalFormat::enumeration({"idle", "waiting_for_start", "running", "waiting_for_command",
                                      "draining", "waiting_for_ipcq", "waiting_for_barrier"})},
          {"command" + number, "last command issued", SignalFormat::id()}};
}

void KernelCalls::add_signals(const std::string& number) {
  Observables to(pe_.cpu);
  std::vector<SignalDeclaration> declared = signals_of(number);
  const auto add = [&](SignalDeclaration& each) {
    return &to.add_signal(std::move(each.name), std::move(each.description),
                          std::move(each.format));
  };
  state_signal_ = add(declared[0]);
  command_signal_ = add(declared[1]);
  show(state_);
  if (last_command_ != 0) command_signal_->set(last_command_);
}

void KernelCalls::show(State state) {
  state_ = state;
  if (state_signal_ != nullptr) state_signal_->set(static_cast<std::uint64_t>(state));
}

// --- Life of a kernel

void KernelCalls::start() {
  commands_.stream = launch().stream;
  commands_.usage = {};
  show(State::running);
}

void KernelCalls::prepare() {
  calling("");
  unwaited_text_.clear();
  next_call_ = 0;
  aborted_calls_ = 0;
  prepare_scratch();
  announce_tensors();
  check_abort();
}

// PE_MMU is notified of the tensors that the running kernels access.
void KernelCalls::announce_tensors() {
  TranslationRequest tensors;
  tensors.launch = &launch().args;
  std::vector<KernelArgument> of_all;
  if (!pe_.runs_alone(*this)) {
    for (const KernelCalls* kernel : pe_.kernels) {
      if (!kernel->busy()) continue;
      const std::vector<KernelArgument>& of_one = kernel->launch().args;
      of_all.insert(of_all.end(), of_one.begin(), of_one.end());
    }
    tensors.launch = &of_all;
  }
  pe_.to_mmu.transport_dbg(tensors);
}

void KernelCalls::drain_sends() {
  KernelWait wait;
  wait.reason = KernelWait::Reason::send;
  if (outstanding_sends_ > 0)
    await_or_end([this] { return outstanding_sends_ == 0; }, [] { return "the last sends"; }, wait);
}

void KernelCalls::drain_engines(const Completion& completion) {
  if (pe_.to_ipcq.connected()) {
    IpcqRequest end;
    end.stream = launch().stream;
    end.what = IpcqKernelEnd{!completion.ok, pe_.runs_alone(*this),
                             completion.ok ? "" : completion.error_message};
    pe_.to_ipcq.b_transport(end);
  }
  show(State::draining);
  if (!completion.ok)
    pe_.commands.abandon(commands_, fmt::format("kernel '{}' has failed", launch().kernel.name));
  commands_.awaits_drained = true;
  while (commands_.in_flight > 0) {
    pe_.cpu.await(commands_.drained, "the engines of the PE to drain");
    await_turn();
  }
  commands_.awaits_drained = false;
}

std::string KernelCalls::take_unwaited_error() {
  std::string error;
  for (const Issued& command : unwaited_) {
    if (error.empty() && command.state != nullptr) error = command.state->error();
  }
  unwaited_.clear();
  return error;
}

void KernelCalls::free_scratch() {
  if (own_scratch_ == nullptr) return;
  pe_.scratch->free(own_scratch_->base(), own_scratch_->size_bytes());
  own_scratch_.reset();
}

void KernelCalls::abort(const std::string& cause) {
  launch_->aborted = true;
  launch_->abort_cause = cause;
  resumed_.notify(sc_core::SC_ZERO_TIME);  // the awaited event may never occur
}

void KernelCalls::pass_barrier() {
  at_barrier_ = false;
  resumed_.notify(sc_core::SC_ZERO_TIME);
}

void KernelCalls::check_abort() {
  while (pe_.machine.stopping()) wait_in_program([] { sc_core::wait(); });
  if (!launch_->aborted) return;
  if (++aborted_calls_ > swallowed_at_most)
    end_is_swallowed(fmt::format("its launch has failed on another PE: {}", launch_->abort_cause));
  throw KernelAborted{};
}

void KernelCalls::await_or_end(const std::function<bool()>& done,
                               const std::function<std::string()>& what, KernelWait wait) {
  check_abort();
  wait.start = now();
  const auto awaited = [this, &what] {
    return fmt::format("{} of kernel '{}'", what(), launch().kernel.name);
  };
  while (!done() && !launch_->aborted) {
    wait_in_program([&] {
      pe_.cpu.await(resumed_, awaited);
      await_turn();
    });
  }
  report(wait);
  if (launch_->aborted) throw KernelAborted{awaited(), wait.start};
}

void KernelCalls::report(KernelWait wait) const {
  const AnalysisPort<KernelWait>& port = pe_.machine.observation().kernel_waits;
  wait.node = &pe_.cpu;
  wait.stream = launch().stream;
  wait.end = now();
  if (port.observed() && wait.start < wait.end) port.write(wait);
}

void KernelCalls::print(const std::string& text) {
  report_log_line(LogLevel::info, pe_.cpu.name(), text);
}

PhysRanges KernelCalls::translate(std::uint64_t address, std::uint64_t nbytes) const {
  TranslationRequest request;
  request.address = address;
  request.nbytes = nbytes;
  pe_.to_mmu.transport_dbg(request);
  return std::move(request.ranges);
}

// --- Commands

void KernelCalls::dispatch() {
  // Publishes the scratch that the kernel has freed since its last call.
  if (!pe_.runs_alone(*this)) pe_.scratch_freed.notify(sc_core::SC_ZERO_TIME);
  cycles(pe_.settings.call_cycles(next_call_++));
  check_abort();  // checks for an abort during the wait: the call then has no effect
}

std::shared_ptr<CommandState> KernelCalls::issue(Command&& command) {
  check_abort();
  auto state = std::make_shared<CommandState>(pe_.next_command++);
  const KernelWait::CommandKind kind = std::visit(KindOfCommand{}, command.what);
  pe_.commands.submit(commands_, state, std::move(command));
  ++pe_.command_count;
  last_command_ = state->id();
  if (command_signal_ != nullptr) command_signal_->set(last_command_);
  remember({state, kind});
  return state;
}

void KernelCalls::remember(Issued command) {
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

void KernelCalls::wait(CommandState& command) {
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

void KernelCalls::cycles(std::uint64_t n) {
  check_abort();
  if (n == 0) return;
  const Fs end = end_of_cycles(n);
  pe_.cycles += n;
  wait_in_program([&] {
    sc_core::wait(pe_.cpu.work_at(end));
    await_turn();
  });
}

Fs KernelCalls::end_of_cycles(std::uint64_t n) const {
  try {
    const Fs delay = cycles_to_fs(n, pe_.settings.clock_ghz);
    if (delay <= never_fs - now()) return now() + delay;
  } catch (const std::overflow_error&) {
  }
  throw UsageError(fmt::format("tl.cycles({}): {}", n, Component::end_of_time));
}

void KernelCalls::barrier() {
  check_abort();
  if (launch().targets.size() == 1 && !launch().on_several_sips()) return;
  at_barrier_ = true;
  reach_barrier_(*launch_);
  show(State::waiting_for_barrier);
  KernelWait wait;
  wait.reason = KernelWait::Reason::barrier;
  await_or_end([this] { return !at_barrier_; },
               [] { return "tl.barrier, which other PEs of the launch have not reached,"; }, wait);
  show(State::running);
}

// --- Scratch

// Scratch is empty in a PE without other kernels: an ended kernel may have left allocations.
void KernelCalls::prepare_scratch() {
  std::unique_ptr<FreeListAllocator>& shared = pe_.scratch;
  const std::uint64_t all = pe_.settings.scratch_bytes;
  if (shared == nullptr || (shared->allocations() > 0 && pe_.runs_alone(*this)))
    shared = std::make_unique<FreeListAllocator>("scratch", 0, all);
  const std::uint64_t part = std::min(launch().scratch_bytes, all);
  if (part == 0) return;
  while (shared->largest_free_bytes() < part && await_scratch()) {
  }
  own_scratch_ = std::make_unique<FreeListAllocator>("scratch", shared->allocate(part, 16), part);
}

bool KernelCalls::await_scratch() {
  if (own_scratch_ != nullptr || !pe_.others_free_scratch(*this)) return false;
  struct Awaits {
    bool& flag;
    explicit Awaits(bool& of) : flag(of) { flag = true; }
    ~Awaits() { flag = false; }
  } const awaits(awaits_scratch_);
  const std::string what =
      fmt::format("scratch for kernel '{}'{}", launch().kernel.name, scratch_sharers());
  wait_in_program([&] {
    pe_.cpu.await(pe_.scratch_freed | resumed_, what);
    await_turn();
  });
  check_abort();
  return true;
}

std::string KernelCalls::scratch_sharers() const {
  std::string text;
  for (const KernelCalls* kernel : pe_.kernels) {
    if (kernel == this || !kernel->busy()) continue;
    text += fmt::format("{} '{}'", text.empty() ? "; the PE is shared with kernel" : " and",
                        kernel->launch().kernel.name);
  }
  return text;
}

}  // namespace kernbench
