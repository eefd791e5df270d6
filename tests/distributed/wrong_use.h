// Ranks on machines that use collectives wrongly, and what they are told.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "sw/distributed/spawn_error.h"
#include "tests/support/error_text.h"
#include "tests/support/torch_machine.h"

namespace kernbench::test {

inline const DPPolicy one_pe = DPPolicy::on_one_pe();
using Body = std::function<void(Torch& torch, int rank)>;

// How the run ends in which the ranks do this.
inline RunResult end_of(const std::vector<Override>& machine, const CclChanges& changes,
                        const Body& body) {
  TorchMachine m("topology.tiny.yaml", machine);
  return m.try_run(
      [&](Torch& torch) { on_ranks(torch, changes, [&](int rank) { body(torch, rank); }); });
}

// Three ranks are told what they have done wrong.
inline void refused(const std::vector<std::string>& parts, const Body& body,
                    const CclChanges& changes = {},
                    const std::vector<Override>& machine = sips("ring_1d", 3)) {
  forked([&] {
    const RunResult result = end_of(machine, changes, body);
    BOOST_TEST(name_of(result.status) == "failed");
    check_contains(result.error, parts);
  });
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

// What a rank is told that calls alone; on the program's thread, of a machine with one SIP.
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
