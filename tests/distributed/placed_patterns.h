// all_reduce of small tensors of every placement, with values that are exact in every element type.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sw/runtime/dp_policy.h"
#include "tests/distributed/patterns.h"
#include "tests/support/torch_machine.h"

namespace kernbench::test {

inline const std::vector<std::string> every_algorithm{
    "lrab_hierarchical_allreduce", "hierarchical_allreduce", "ring_allreduce", "tree_allreduce"};

inline const Shape placed_shape{4, 7};

// Of cubes that are 2 x 1 or 2 x 2.
inline std::vector<DPPolicy> placements(int cubes) {
  constexpr auto replicate = Placement::replicate, partial = Placement::partial,
                 rows = Placement::row_wise, columns = Placement::column_wise;
  std::vector<DPPolicy> all{DPPolicy::on_one_pe(),
                            {rows, columns, cubes, 3},
                            {replicate, rows, cubes, 2},
                            {rows, replicate, cubes, 3},
                            {replicate, replicate, cubes, 2},
                            {partial, partial, cubes, 3},
                            {partial, replicate, cubes, 2},
                            {replicate, partial, cubes, 2},
                            {partial, columns, cubes, 2},
                            {rows, partial, cubes, 2}};
  if (cubes == 4) all.push_back({partial, replicate, 3, 1});  // no rectangle
  return all;
}

// Of a summand: what the others leave of the value.
inline double summand(int which, int summands, double value, std::int64_t i) {
  const auto small = [i](int s) { return static_cast<double>((i + s) % 3 - 1); };
  if (which > 0) return small(which);
  for (int s = 1; s < summands; ++s) value -= small(s);
  return value;
}

// Every holder with its own part of the rank's pattern.
inline Tensor placed_tensor(Torch& torch, const DPPolicy& policy, DType dtype, ReduceOp op,
                            int rank, int ranks) {
  const std::vector<tl::Block> blocks =
      place("t", placed_shape, dtype, policy, 0, torch.spec().cubes(), torch.spec().pes);
  int summands = 1;
  for (const tl::Block& block : blocks) summands = std::max(summands, block.summand + 1);
  std::vector<HostArray> parts;
  for (const tl::Block& block : blocks) {
    std::vector<double> values;
    for (std::int64_t row = 0; row < block.shape[0]; ++row) {
      for (std::int64_t column = 0; column < block.shape[1]; ++column) {
        const std::int64_t i = (block.start[0] + row) * placed_shape[1] + block.start[1] + column;
        values.push_back(summand(block.summand, summands, pattern(op, rank, ranks, i), i));
      }
    }
    parts.emplace_back(block.shape, dtype, values);
  }
  Tensor t;
  torch.untimed([&] {
    t = torch.from_local(
        parts, placed_shape, policy,
        std::string(name_of(op)) + " of " + std::string(name_of(dtype)) + " by " + policy.str());
  });
  return t;
}

inline void verify_values(Torch& torch, const Tensor& t,
                          const std::function<double(std::int64_t)>& value,
                          const Accuracy& accuracy = {}) {
  torch.verify(
      t, [value] { return values(placed_shape.elements(), value); }, accuracy);
}

inline void check_all_reduce(Torch& torch, const DPPolicy& policy, DType dtype, ReduceOp op,
                             int rank, int ranks) {
  const Tensor t = placed_tensor(torch, policy, dtype, op, rank, ranks);
  torch.distributed.all_reduce(t, op);
  BOOST_TEST(!t.is_partial());
  verify_values(
      torch, t, [op, ranks](std::int64_t i) { return combined(op, ranks, i); },
      accuracy_of(op, ranks));
}

}  // namespace kernbench::test
