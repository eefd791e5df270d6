// Tensor-parallel ranks on a ring of SIPs with one cube of 8 PEs each, and the collectives that
// they have called.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/benches/reference.h"
#include "sw/tp/parallel_state.h"
#include "tests/support/error_text.h"
#include "tests/support/torch_machine.h"

namespace kernbench::test {

using Values = std::vector<double>;
using ParallelBody = std::function<void(const tp::ParallelState&)>;

inline const DPPolicy copies{};

// "all_reduce sum of 4, all_gather of 4", in the order of the calls.
inline std::string collectives_of(const TorchMachine& m) {
  std::string text;
  for (const auto& record : m.distributed->collectives) {
    text += text.empty() ? "" : ", ";
    text += std::string(name_of(record->op)) +
            (record->reduction.empty() ? "" : " " + record->reduction) + " of " +
            std::to_string(record->ranks);
  }
  return text;
}

// Runs the body on `ranks` ranks in tensor-parallel groups of `size`, with values that agree, and
// returns the collectives.
inline std::string on_parallel_ranks(int ranks, int size, const ParallelBody& body) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", ranks));
  m.run([&](Torch& torch) {
    on_ranks(torch, {}, [&](int) { body(tp::initialize_model_parallel(torch, size)); });
  });
  BOOST_TEST(m.failures() == "");
  return collectives_of(m);
}

// Error of a body that has to fail on 2 ranks.
inline std::string error_on_ranks(const ParallelBody& body) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
    return m.error([&](Torch& torch) {
      on_ranks(torch, {}, [&](int) { body(tp::initialize_model_parallel(torch)); });
    });
  });
}

// Equal on all ranks: small multiples of 1/8 that depend on the position and on `seed`.
inline HostArray pattern_array(const Shape& shape, int seed, DType dtype = f16) {
  Values values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] =
        (static_cast<double>((i * 7 + i / 5 + static_cast<std::size_t>(seed)) % 17) - 8) / 8;
  return HostArray(shape, dtype, values);
}

// Rows [begin, begin + rows) and columns [first, first + count) of values{., columns}.
inline Values box(const Values& values, std::int64_t columns, std::int64_t begin, std::int64_t rows,
                  std::int64_t first, std::int64_t count) {
  Values part;
  for (std::int64_t row = begin; row < begin + rows; ++row) {
    for (std::int64_t column = first; column < first + count; ++column)
      part.push_back(values[static_cast<std::size_t>(row * columns + column)]);
  }
  return part;
}

}  // namespace kernbench::test
