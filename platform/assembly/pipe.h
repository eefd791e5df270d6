// Pipe from a forked child process to its parent.
#pragma once

#include <array>
#include <string>

namespace kernbench {

// Both ends are open, closed by exec, and not closed by the destructor. Throws std::system_error.
struct Pipe {
  Pipe();
  std::array<int, 2> ends{};  // to read from, to write to
};

// Writes all bytes, or stops if the reader has ended.
void write_all(int to, const std::string& bytes);

}  // namespace kernbench
