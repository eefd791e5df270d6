// Inputs and parameters shared by many benches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/benches/bench.h"

namespace kernbench::benches {

// A tensor with random values, and these as the host keeps them for the reference. With data off
// the same transfers take place without making values, and `host` is null; references are not
// called then. `scale`: a power of two that the values are multiplied by, so that they stay exact.
struct Input {
  Tensor tensor;
  std::shared_ptr<const HostArray> host;
};
Input random_input(Torch& torch, const Shape& shape, DType dtype, const DPPolicy& policy,
                   const std::string& name, double scale = 1);
// The same with values of the bench's own, which are not asked for with data off.
Input input_of(Torch& torch, const Shape& shape, DType dtype, const DPPolicy& policy,
               const std::string& name, const std::function<std::vector<double>()>& values);

// Tensors over the first `pes` PEs of cube 0, cut or copied.
DPPolicy rows_over(int pes);
DPPolicy columns_over(int pes);
DPPolicy copy_on(int pes);
// All of the first `pes` PEs of each cube.
LaunchSpec launch_on_first(const std::string& name, int pes);

// `count` with a default, from 1 up.
Parameter extent(const char* name, const char* description, std::int64_t count);
// One of these, by default the first.
Parameter choice(const char* name, const char* description, std::vector<std::string> choices,
                 const char* source = "spec 10.3");
Parameter float_dtype(const char* description);
Parameter any_dtype(const char* description);
// How many PEs of a cube share `what`; parts() of it is never more than there are parts to share.
Parameter shared_by_pes(const char* what);
int parts(const Torch& torch, std::int64_t extent);

// A number of bytes with a default, from 2 to 1 MiB. Of sizes from `min_bytes` to `max_bytes`:
// whole elements, each `factor` times the one before, and the largest.
Parameter size_in_bytes(const char* name, const char* description, std::int64_t bytes);
std::vector<std::int64_t> sizes_in_bytes(const Attributes& given, DType dtype,
                                         std::int64_t factor = 4);

// How many of `rows` rows a block of at most `bytes` holds; at least one.
int rows_within(std::int64_t rows, std::uint64_t row_bytes, std::uint64_t bytes);

}  // namespace kernbench::benches
