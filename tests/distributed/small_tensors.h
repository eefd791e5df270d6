// Tensors on one PE of each rank, of values that are written out.
#pragma once

#include <functional>
#include <vector>

#include "tests/distributed/wrong_use.h"

namespace kernbench::test {

using Values = std::vector<double>;

inline Tensor made(Torch& torch, const Shape& shape, DType dtype, const Values& values,
                   const DPPolicy& policy = one_pe) {
  return torch.from_host(HostArray(shape, dtype, values), policy, "t");
}

inline Tensor vector_of(Torch& torch, const Values& values, DType dtype = f32) {
  return made(torch, {static_cast<std::int64_t>(values.size())}, dtype, values);
}

inline void expect(Torch& torch, const Tensor& tensor, const Values& expected) {
  torch.verify(tensor, [expected] { return expected; });
}

// What the ranks of a machine with a ring of `count` SIPs do, with values that agree.
inline void on_a_ring(int count, const std::function<void(Torch&, int rank)>& body,
                      const CclChanges& changes = {}, const std::vector<Override>& more = {}) {
  std::vector<Override> overrides = sips("ring_1d", count);
  overrides.insert(overrides.end(), more.begin(), more.end());
  TorchMachine m("topology.tiny.yaml", overrides);
  m.run([&](Torch& torch) { on_ranks(torch, changes, [&](int rank) { body(torch, rank); }); });
  BOOST_TEST(m.failures() == "");
}

}  // namespace kernbench::test
