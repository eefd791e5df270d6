// Ranks on machines of small SIPs: tensors whose values are written out, on one PE of each rank,
// and checks of calls that agree and of calls that are refused.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "sw/distributed/multiprocessing.h"
#include "tests/support/error_text.h"
#include "tests/support/torch_machine.h"

namespace kernbench::test {

inline const DPPolicy one_pe = DPPolicy::on_one_pe();
using Body = std::function<void(Torch& torch, int rank)>;

// Result of a run in which the ranks call `body`.
inline RunResult end_of(const std::vector<Override>& machine, const CclChanges& changes,
                        const Body& body) {
  TorchMachine m("topology.tiny.yaml", machine);
  return m.try_run(
      [&](Torch& torch) { on_ranks(torch, changes, [&](int rank) { body(torch, rank); }); });
}

// The run fails, with an error that has all of the parts.
inline void refused(const std::vector<std::string>& parts, const Body& body,
                    const CclChanges& changes = {},
                    const std::vector<Override>& machine = sips("ring_1d", 3)) {
  forked([&] {
    const RunResult result = end_of(machine, changes, body);
    BOOST_TEST(name_of(result.status) == "failed");
    check_contains(result.error, parts);
  });
}

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

inline Tensor some(Torch& torch, std::int64_t elements = 8, DType dtype = f16,
                   const std::string& name = "t") {
  return torch.zeros({elements}, dtype, one_pe, name);
}

inline std::vector<Tensor> list(Torch& torch, int count, std::int64_t elements = 8,
                                DType dtype = f16) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < count; ++i)
    tensors.push_back(some(torch, elements, dtype, "part" + std::to_string(i)));
  return tensors;
}

// The usage error that `call` throws; "nothing" if it does not.
template <class Call>
std::string told(Call call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace kernbench::test
