// Operands of a launch: their text in messages of errors, and the PEs that hold them.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "sw/runtime/launch.h"
#include "sw/runtime/tensor.h"
#include "sw/tl/dtypes.h"

namespace kernbench::ops {

// "'x' f16{2, 64}"
inline std::string text_of(const Tensor& tensor) {
  return fmt::format("'{}' {}", tensor.name(), describe(tensor.dtype(), tensor.shape()));
}

// Launch on the PEs that hold parts of `tensors`, in every cube of the arguments.
inline LaunchSpec launch_on_holders(const std::string& name, const std::vector<Tensor>& tensors) {
  std::set<int> pes;
  for (const Tensor& tensor : tensors) {
    for (const tl::Block& block : tensor.info()->blocks) pes.insert(block.where.pe);
  }
  return LaunchSpec(name).on_pes({pes.begin(), pes.end()});
}

}  // namespace kernbench::ops
