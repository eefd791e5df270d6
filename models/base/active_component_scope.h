// Component whose code runs inside the process or call of another: the provider of a service, a
// listener of the end of the timestep. For reports of faults.
#pragma once

#include <systemc>
#include <utility>

namespace kernbench {

// Active while the object lives, in a call that does not wait; scopes may be nested.
class ActiveComponentScope {
 public:
  explicit ActiveComponentScope(const sc_core::sc_object& component)
      : outer_(std::exchange(current_, &component)) {}
  ~ActiveComponentScope() { current_ = outer_; }
  ActiveComponentScope(const ActiveComponentScope&) = delete;
  ActiveComponentScope& operator=(const ActiveComponentScope&) = delete;

  static const sc_core::sc_object* current() { return current_; }  // null: the process's own

 private:
  static const sc_core::sc_object* current_;
  const sc_core::sc_object* outer_;
};

}  // namespace kernbench
