// Reports a kernel that has run over the end of its stack (spec 4.4): SystemC leaves an unreadable page there, and the access to it
// ends the program with exit status 1 and the kernel's name. Any other invalid access ends it as it would without the guard.
#pragma once

#include <csignal>
#include <vector>

namespace kernbench {

// In force while it lives; one at a time.
class StackGuard {
 public:
  StackGuard();
  ~StackGuard();
  StackGuard(const StackGuard&) = delete;
  StackGuard& operator=(const StackGuard&) = delete;

 private:
  std::vector<char> signal_stack_;  // the handler cannot run on the stack that is full
  stack_t old_stack_{};
  struct sigaction old_action_ {};
};

}  // namespace kernbench
