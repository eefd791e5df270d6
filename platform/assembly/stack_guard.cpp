#include "platform/assembly/stack_guard.h"

#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <systemc>

#include "models/base/units.h"
#include "models/protocol/kernel_host.h"

namespace kernbench {
namespace {

std::uintptr_t stack_pointer(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.sp);
#else
  return 0;
#endif
}

// A frame may reach far beyond the end of the stack before it touches memory there.
bool beyond_the_stack(const void* address, std::uintptr_t stack_pointer) {
  constexpr std::uintptr_t largest_frame = 1 << 20;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at + largest_frame > stack_pointer && at < stack_pointer + largest_frame;
}

void report(int /*signal*/, siginfo_t* info, void* context) {
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  const auto* host = process.valid() ? dynamic_cast<const KernelHost*>(process.get_parent_object()) : nullptr;
  if (host != nullptr && host->running_kernel() != nullptr && beyond_the_stack(info->si_addr, stack_pointer(context))) {
    char text[512];
    const int length =
        std::snprintf(text, sizeof text, "kernel '%s' has overrun its stack of %llu bytes (kernel_stack_bytes) on %s at %.6f ns\n",
                      host->running_kernel()->c_str(), static_cast<unsigned long long>(host->kernel_stack_bytes()),
                      process.get_parent_object()->name(), to_ns(sc_core::sc_time_stamp().value()));
    if (length > 0) {
      const auto written = ::write(STDERR_FILENO, text, static_cast<std::size_t>(length));
      static_cast<void>(written);
    }
    ::_exit(1);
  }
  std::signal(SIGSEGV, SIG_DFL);  // the access is made again
}

}  // namespace

StackGuard::StackGuard() : signal_stack_(64 * 1024) {
  stack_t stack{};
  stack.ss_sp = signal_stack_.data();
  stack.ss_size = signal_stack_.size();
  ::sigaltstack(&stack, &old_stack_);
  struct sigaction action {};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, &old_action_);
}

StackGuard::~StackGuard() {
  ::sigaction(SIGSEGV, &old_action_, nullptr);
  ::sigaltstack(&old_stack_, nullptr);
}

}  // namespace kernbench
