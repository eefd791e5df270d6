// Linear layers whose weight is cut over the tensor-parallel ranks (Megatron-LM,
// megatron/core/tensor_parallel/layers.py); forward only. As in ADR-0027 the weight is {in, out}
// and y = x weight, for x{M, in}. Weights and biases are zero until they are set.
//
// A column-parallel layer leaves each rank its columns of y, without a collective; they are the
// input of a row-parallel layer, which adds its products over the ranks by one all_reduce.
//
// Within a SIP the weight has `policy`. The result has its columns where the weight has its: parts
// of the rows of the weight (Placement::row_wise) yield partial sums of the result. PEs read the
// input wherever it is (sw/ops/matmul.h).
#pragma once

#include <optional>
#include <string>

#include "sw/ops/matmul.h"
#include "sw/tp/parallel_state.h"

namespace kernbench::tp {

struct ColumnParallelOptions {
  bool gather_output = false;      // every rank gets all columns; not with sequence_parallel
  bool bias = false;               // a part of it on each rank, added to its columns
  bool sequence_parallel = false;  // x has the rank's rows {M / size, in}: an all_gather precedes
  ops::Activation activation = ops::Activation::none;  // applied to the columns after the bias
  DType dtype = DType::f16;
  DPPolicy policy = column_wise;
  std::string name = "column_parallel";
};

class ColumnParallelLinear {
 public:
  // UsageError: out_features that the ranks do not divide, gather_output with sequence_parallel.
  ColumnParallelLinear(const ParallelState& state, std::int64_t in_features,
                       std::int64_t out_features, const ColumnParallelOptions& options = {});

  // Weight {in, out} and bias {out} of the whole layer: each rank writes its part. The rank's own
  // part alone: weight.copy_(part). UsageError for another shape or dtype.
  void copy_weight_(const HostArray& whole);
  void copy_bias_(const HostArray& whole);
  // x{M, in} -> y{M, out / size}, or {M, out} with gather_output. UsageError for another shape.
  Tensor forward(const Tensor& x) const;

  Tensor weight;  // {in, out / size}
  Tensor bias;    // {out / size}; empty without

 private:
  ParallelState state_;
  std::int64_t in_, out_;
  ColumnParallelOptions options_;
};

struct RowParallelOptions {
  // x has the rank's columns; false: all columns, from which the rank reads its part.
  bool input_is_parallel = true;
  bool bias = false;               // whole on each rank, added once, after the reduction
  bool sequence_parallel = false;  // a reduce_scatter of rows replaces the all_reduce
  DType dtype = DType::f16;
  DPPolicy policy = column_wise;
  std::string name = "row_parallel";
};

class RowParallelLinear {
 public:
  // UsageError: in_features that the ranks do not divide, sequence_parallel of an input that is not
  // parallel.
  RowParallelLinear(const ParallelState& state, std::int64_t in_features, std::int64_t out_features,
                    const RowParallelOptions& options = {});

  void copy_weight_(const HostArray& whole);  // see ColumnParallelLinear
  void copy_bias_(const HostArray& whole);
  // x{M, in / size} (or {M, in}) -> y{M, out} on every rank, or the rank's rows {M / size, out}.
  Tensor forward(const Tensor& x) const;

  Tensor weight;  // {in / size, out}
  Tensor bias;    // {out}; empty without

 private:
  ParallelState state_;
  std::int64_t in_, out_;
  RowParallelOptions options_;
};

}  // namespace kernbench::tp
