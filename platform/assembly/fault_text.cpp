#include "platform/assembly/fault_text.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include "platform/assembly/code_range.h"
#include "platform/assembly/program_report.h"

namespace kernbench {
namespace {

CodeRange c_library;

std::uintptr_t stack_pointer(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.sp);
#else
  return 0;
#endif
}

// The kernel tells without a fault.
bool is_readable(std::uintptr_t address) {
  return ::access(reinterpret_cast<const char*>(address), F_OK) == 0 || errno != EFAULT;
}

// Just below the stack pointer: a call, or an access of a frame without a pointer of its own. Above
// it: a frame that reaches into the guard page, or beyond the end of the stack.
bool overruns_the_stack(const siginfo_t& info, std::uintptr_t stack_pointer) {
  constexpr std::uintptr_t page = 4096, largest_frame = 1 << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (stack_pointer == 0) return false;
  if (address <= stack_pointer) return stack_pointer - address <= page;
  return address - stack_pointer < largest_frame &&
         (info.si_code == SEGV_ACCERR || !is_readable(stack_pointer));
}

void describe_overrun(FixedText& text) {
  const std::optional<RunningProgram> program = current_program();
  text << "has overrun its stack";
  if (program) text << " of " << program->stack_bytes << " bytes";
  text << " (stack overflow";
  if (program && program->stack_key[0] != '\0') text << "; " << program->stack_key;
  text << ")";
}

}  // namespace

void prepare_fault_text() {
  c_library = library_of(reinterpret_cast<const void*>(&::gnu_get_libc_version));
}

bool is_inside_c_library(const void* context) { return c_library.has(program_counter(context)); }

bool concerns_the_heap(int signal, const void* context) {
  return signal == SIGABRT || is_inside_c_library(context);
}

void describe_fault(FixedText& text, int signal, const siginfo_t& info, const void* context) {
  switch (signal) {
    case SIGFPE:
      text << (info.si_code == FPE_INTDIV ? "has divided an integer by zero (SIGFPE)"
                                          : "has made an arithmetic error (SIGFPE)");
      return;
    case SIGILL:
      text << "has run into an illegal instruction (SIGILL)";
      return;
    case SIGABRT:  // abort() itself is seen before: exit_calls.cpp
      text << "was aborted (SIGABRT) by a check of the C library: an assertion has failed, or "
              "memory has been overwritten, by it or by what ran before";
      return;
    case SIGSEGV:
      if (overruns_the_stack(info, stack_pointer(context))) return describe_overrun(text);
      [[fallthrough]];
    default:
      text << "has accessed the invalid address ";
      text.add_hex(reinterpret_cast<std::uintptr_t>(info.si_addr))
          << (signal == SIGBUS ? " (SIGBUS)" : " (SIGSEGV)");
  }
}

}  // namespace kernbench
