// Work in a child process: SystemC simulates once per process, so each fresh machine needs a fork.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace kernbench {

// Copy of this process that runs the body and ends, without destructors and without flushing this
// process's buffers. This process must have no other threads. The child is killed if its value was
// not fetched.
class ChildProcess {
 public:
  explicit ChildProcess(const std::function<std::string()>& body);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits for the result of the body; called once. An exception of the body is rethrown with the
  // same text, as DeadlockError or else as Error. Termination of the child by a signal is an Error
  // as well.
  std::string value();

 private:
  int wait();

  ::pid_t child_ = -1;
  int from_child_ = -1;
};

// Returns the values of all bodies, each from its own child, with as many children at a time as
// processors.
std::vector<std::string> in_children(const std::vector<std::function<std::string()>>& bodies);

}  // namespace kernbench
