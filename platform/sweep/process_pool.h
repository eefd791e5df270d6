// Worker processes of a sweep: each point is a copy of this process, because SystemC elaborates
// once per process, and a fault of one point ends no other.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kernbench {

// End of a worker process.
struct ProcessOutcome {
  std::uint64_t id = 0;
  std::string value;   // return value of the body; empty if it has not returned
  std::string fault;   // "killed by signal 9 (Killed)", "has ended with status 1": it has no value
  std::string errors;  // its standard error, the first 16 KiB
  double cpu_s = 0;
  std::uint64_t peak_memory_bytes = 0;
};

// At most `workers` processes at a time. A worker has standard input and output of /dev/null, and a
// process group of its own, so that an interrupt from the terminal reaches this process alone; it
// is killed when this process ends, however that is. Standard error is collected.
class ProcessPool {
 public:
  using Body = std::function<std::string(std::uint64_t id)>;
  // `body` runs in the workers and throws nothing. This process has no threads but that of
  // guard_memory().
  ProcessPool(unsigned workers, Body body) : most_(workers), body_(std::move(body)) {}
  ~ProcessPool();  // kills running workers
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  bool full() const { return running_.size() >= most_; }
  bool empty() const { return running_.empty(); }
  void start(std::uint64_t id);  // std::system_error: no process or pipe
  // The next worker that ends, at most `timeout_ms` from now; none: the time has passed, or a
  // signal has arrived.
  std::optional<ProcessOutcome> wait(int timeout_ms);

 private:
  struct Worker {
    ::pid_t pid = -1;
    int values = -1, errors = -1;  // pipes; -1: at its end
    ProcessOutcome outcome;
  };
  [[noreturn]] void work(std::uint64_t id, int values, int errors) const;
  static void read_from(int& pipe, std::string& into, std::size_t most);
  ProcessOutcome reap(std::size_t index);

  std::size_t most_;
  Body body_;
  std::vector<Worker> running_;
};

}  // namespace kernbench
