#include "platform/numerics/own_stack.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>

namespace kernbench {
namespace {

constexpr std::size_t stack_bytes = 8 << 20;  // as Linux gives a thread

// makecontext hands over integers only.
void enter(unsigned high, unsigned low) {
  (*reinterpret_cast<const std::function<void()>*>(static_cast<std::uintptr_t>(high) << 32 |
                                                   low))();
}

}  // namespace

void on_own_stack(const std::function<void()>& body) {
  void* const stack = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ucontext_t here, there;
  if (stack == MAP_FAILED || ::getcontext(&there) != 0) return body();
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = stack_bytes;
  there.uc_link = &here;
  const auto address = reinterpret_cast<std::uintptr_t>(&body);
  ::makecontext(&there, reinterpret_cast<void (*)()>(&enter), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  ::swapcontext(&here, &there);
  ::munmap(stack, stack_bytes);
}

}  // namespace kernbench
