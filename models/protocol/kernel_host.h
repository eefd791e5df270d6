// Who runs kernels on a thread of its own, for reports about what went wrong there.
#pragma once

#include <cstdint>
#include <string>

namespace kernbench {

// Implemented by the parent object of the thread that runs the kernels.
class KernelHost {
 public:
  virtual const std::string* running_kernel() const = 0;  // null if none
  virtual std::uint64_t kernel_stack_bytes() const = 0;

 protected:
  ~KernelHost() = default;
};

}  // namespace kernbench
