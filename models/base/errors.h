// Errors that cross a library boundary. Faults that a user can cause throw one of these; `assert`
// is for faults that no input can cause. Each class has the failure code of a launch whose kernel
// throws it (spec 4.2), and the exit status of the program.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kernbench {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;  // a run or a check
inline constexpr int exit_usage = 2;   // wrong usage or configuration
inline constexpr int exit_deadlock = 3;

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  virtual std::string code() const { return "kernel_exception"; }
  virtual int exit_status() const { return exit_failed; }
};

// Wrong command line.
class UsageError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "usage_error"; }
  int exit_status() const override { return exit_usage; }
};

// One fault in a configuration file. `line` and `column` count from 1; 0 means that the key is from
// --set or is absent.
struct ConfigIssue {
  std::string file;
  int line = 0;
  int column = 0;
  std::string key;      // full path, e.g. cube.memory_map.hbm_pseudo_channels
  std::string message;  // found and allowed values
};

// Every fault of a configuration, reported together before anything is elaborated.
class ConfigError : public Error {
 public:
  explicit ConfigError(std::vector<ConfigIssue> issues);
  int exit_status() const override { return exit_usage; }
  const std::vector<ConfigIssue>& issues() const { return issues_; }

 private:
  std::vector<ConfigIssue> issues_;
};

// A physical address that does not decode, or a field that does not fit (spec 3.1).
class AddressError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "address_error"; }
};

// An address without a node, or two nodes without a path (spec 2.7).
class RoutingError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "routing_error"; }
};

// Exhaustion or misuse of an allocator (spec 3.2).
class AllocationError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "allocation_error"; }
};

// A virtual address without a mapping, or an access beyond the end of its target (spec 3.3, 4.2).
class AccessFault : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "access_fault"; }
};

// A kernel's request for a value that only phase 2 computes (spec 6).
class PendingDataError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "pending_data"; }
};

// Queues between PEs were reset when a launch failed (spec 4.4): a consequential error.
class QueuesResetError : public Error {
 public:
  using Error::Error;
  static constexpr const char* failure_code = "ipcq_reset";
  std::string code() const override { return failure_code; }
};

// A condition of a kernel that does not hold (tl.device_assert).
class DeviceAssertError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "device_assert"; }
};

// A launch, or another host request, that returned ok = false (spec 4.2).
class LaunchError : public Error {
 public:
  LaunchError(std::string code, const std::string& message)
      : Error(message), code_(std::move(code)) {}
  std::string code() const override { return code_; }

 private:
  std::string code_;
};

// A request to a device on which a run of ranks has failed (spec 4.4).
class DeviceLostError : public Error {
 public:
  using Error::Error;
};

// A wait that never ends (spec 4.2).
class DeadlockError : public Error {
 public:
  using Error::Error;
  int exit_status() const override { return exit_deadlock; }
};

// Violation of an invariant of the model; never the user's fault.
class ModelError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "model_error"; }
};

}  // namespace kernbench
