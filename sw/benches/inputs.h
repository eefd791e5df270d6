// Inputs and parameters that several benches share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/benches/bench.h"

namespace kernbench::benches {

// Tensor with random values, and their host copy for the reference. With data off the same
// transfers occur without values, `host` is null, and references are not called. `scale`: a power
// of two that multiplies the values and keeps them exact.
struct Input {
  Tensor tensor;
  std::shared_ptr<const HostArray> host;
};
Input random_input(Torch& torch, const Shape& shape, DType dtype, const DPPolicy& policy,
                   const std::string& name, double scale = 1);
// Input with values of the bench, which are not requested with data off.
Input input_of(Torch& torch, const Shape& shape, DType dtype, const DPPolicy& policy,
               const std::string& name, const std::function<std::vector<double>()>& values);

// Random array times `scale`, a power of two.
HostArray random_array(Torch& torch, const Shape& shape, DType dtype, double scale);
// Power of two next to 1 / sqrt(depth): like trained weights, weights of this scale keep the sums
// of `depth` products near 1.
double scale_of_depth(std::int64_t depth);

// Policy for tensors over the first `pes` PEs of cube 0, cut or replicated.
DPPolicy rows_over(int pes);
DPPolicy columns_over(int pes);
DPPolicy copy_on(int pes);
// Launch on the first `pes` PEs of each cube.
LaunchSpec launch_on_first(const std::string& name, int pes);

// Parameter of an extent >= 1, with default `count`.
Parameter extent(const char* name, const char* description, std::int64_t count);
// Parameter with a choice of values; the first is the default.
Parameter choice(const char* name, const char* description, std::vector<std::string> choices,
                 const char* source = "spec 10.3");
Parameter float_dtype(const char* description);
Parameter any_dtype(const char* description);
// Parameter `magnitude`: queries of attention are multiplied by 2^magnitude. From 6 on,
// exponentials overflow f32 unless the largest score is subtracted.
Parameter magnitude_of_queries();
// Number of PEs of a cube that share `what`; parts() never exceeds the number of parts.
Parameter shared_by_pes(const char* what);
int parts(const Torch& torch, std::int64_t extent);

// PEs of a rank, over which its tensors may be cut.
int pes_of_rank(Torch& torch);
// UsageError that names the parameter, an extent, unless `ranks` ranks divide its value and each of
// `pes` PEs of a rank has a part of it.
void check_parts(const Torch& torch, const char* bench, const char* parameter, int ranks, int pes);

// Parameter of a size in bytes, from 2 to 1 MiB. Sizes from `min_bytes` to `max_bytes`: whole
// elements, each `factor` times the previous one, and the largest.
Parameter size_in_bytes(const char* name, const char* description, std::int64_t bytes);
std::vector<std::int64_t> sizes_in_bytes(const Attributes& given, DType dtype,
                                         std::int64_t factor = 4);

// Rows, out of `rows`, in a block of at most `bytes`; at least one.
int rows_within(std::int64_t rows, std::uint64_t row_bytes, std::uint64_t bytes);

}  // namespace kernbench::benches
