// Work in a child process: SystemC simulates once per process, so several fresh machines take one
// fork each.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace kernbench {

// A copy of this process that runs the body and ends, without destructors and without flushing what
// is buffered here. This process must have no other threads. Ended by force if its value was not
// taken.
class ChildProcess {
 public:
  explicit ChildProcess(const std::function<std::string()>& body);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits for the result of the body; once. An exception of the body is thrown here with the same
  // text: as a DeadlockError if it is one, else as an Error; so is the end of the child by a
  // signal.
  std::string value();

 private:
  int wait();

  ::pid_t child_ = -1;
  int from_child_ = -1;
};

// The values of all bodies, each in a child of its own, as many at once as there are processors.
std::vector<std::string> in_children(const std::vector<std::function<std::string()>>& bodies);

}  // namespace kernbench
