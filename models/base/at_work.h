// Component whose code runs inside the process or call of another: the provider of a service, a
// listener of the end of the timestep. For reports of faults.
#pragma once

#include <systemc>
#include <utility>

namespace kernbench {

// In force while it lives, in a call that does not wait; they may be nested.
class AtWork {
 public:
  explicit AtWork(const sc_core::sc_object& component)
      : outer_(std::exchange(current_, &component)) {}
  ~AtWork() { current_ = outer_; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

  static const sc_core::sc_object* current() { return current_; }  // null: the process's own

 private:
  static const sc_core::sc_object* current_;
  const sc_core::sc_object* outer_;
};

}  // namespace kernbench
