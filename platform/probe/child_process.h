// Work in a child process: SystemC simulates once per process, so whoever needs several fresh machines forks one for each.
#pragma once

#include <functional>
#include <string>

namespace kernbench {

// Runs the body in a copy of this process and returns its value. What the body throws is thrown here with the same text: as a
// DeadlockError if it is one, else as an Error; so is the end of the child by a signal. The child ends without destructors and
// without flushing what this process has buffered. One thread only may live in this process.
std::string in_child(const std::function<std::string()>& body);

}  // namespace kernbench
