// One-line report of a fault and its place, built where allocation is impossible (signal handlers).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <systemc>
#include <utility>

#include "models/protocol/program_host.h"

namespace kernbench {

// Text of fixed capacity; the excess is cut off.
class FixedText {
 public:
  // Does not allocate for numbers and C strings.
  template <class... Args>
  FixedText& add(fmt::format_string<Args...> format, Args&&... args) {
    const std::size_t left = text_.size() - 1 - length_;
    const std::size_t size =
        fmt::format_to_n(text_.data() + length_, left, format, std::forward<Args>(args)...).size;
    length_ += std::min(size, left);
    text_[length_] = '\0';
    return *this;
  }
  void strip(char last) {
    while (length_ > 0 && text_[length_ - 1] == last) text_[--length_] = '\0';
  }
  void clear() { text_[length_ = 0] = '\0'; }

  const char* c_str() const { return text_.data(); }
  void write_line_to_stderr();  // the text and a line feed, which is never cut off

 private:
  std::array<char, 1024> text_{};
  std::size_t length_ = 0;
};

// Running process; none between two processes. During elaboration SystemC names the process created
// last, which does not run.
sc_core::sc_process_handle running_process();

// Program of that process; none: it is not a thread of a program host.
std::optional<RunningProgram> current_program();

class ProgramReport {
 public:
  // "sip0.cube0.pe0.pe_cpu at 12.5 ns: kernel 'k' WHAT; last call: tl.load". Without a program the
  // place is the active component, the running process, the module under elaboration, or the
  // simulation. `subject` precedes `what` unless there is a program.
  void describe(const char* what, const char* subject = "it ");
  // "PLACE: SUBJECT WHAT".
  void describe_at(const char* place, const char* what, const char* subject = "it ");
  const char* text() const { return text_.c_str(); }
  // Prints the report as an error of the program on standard error, after `reason`.
  void print(const char* reason = "") const;

 private:
  FixedText text_;
};

}  // namespace kernbench
