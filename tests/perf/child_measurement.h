// A measurement in a child process: SystemC elaborates once per process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <type_traits>

namespace kernbench::perf {

// Calls of operator new since the start of the process, libraries included; only in a program with
// counting_allocator.cpp.
std::uint64_t heap_allocations();

// Of this process. Unlike wall time it does not grow with what else the machine does.
inline double processor_seconds() {
  ::timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Wall and processor time since it was made.
class Stopwatch {
 public:
  void stop(double& seconds, double& processor) const {
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    processor = processor_seconds() - processor_start_;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double processor_start_ = processor_seconds();
};

// Runs the body in a child and returns its value, a struct of numbers. Throws if the child fails,
// after it has told why.
template <class Body>
std::invoke_result_t<Body&> measured_in_child(Body&& body) {
  using Value = std::invoke_result_t<Body&>;
  static_assert(std::is_trivially_copyable_v<Value>);
  std::cout << std::flush;
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe");
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    try {
      const Value value = body();
      ::_exit(::write(ends[1], &value, sizeof value) == sizeof value ? 0 : 1);
    } catch (const std::exception& error) {
      std::cerr << error.what() << std::endl;
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  Value value{};
  const bool complete =
      ::read(ends[0], &value, sizeof value) == sizeof value;  // far below PIPE_BUF: in one piece
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!complete || status != 0) throw std::runtime_error("a measurement has failed in its process");
  return value;
}

}  // namespace kernbench::perf
