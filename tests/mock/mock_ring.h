// PEs of one cube as a ring on a MockRuntime.
#pragma once

#include <stdexcept>
#include <vector>

#include "sw/collectives/shipped_graphs.h"
#include "sw/mock/mock_runtime.h"

namespace kernbench::test {

using Values = std::vector<double>;

inline MockSetup of_pes(int pes, MockSetup setup = {}) {
  setup.pes = pes;
  return setup;
}

struct Ring {
  explicit Ring(int pes, const MockSetup& setup = {}) : mock(of_pes(pes, setup)) {
    mock.connect(graphs::intra_pe_ring(0, 0, pes));
  }
  // Rank r has r + 1 in every element.
  tl::TensorInfoPtr numbered(const Shape& shape, DType dtype = DType::f32) {
    const tl::TensorInfoPtr tensor = mock.tensor("x", shape, dtype);
    for (int rank = 0; rank < mock.ranks(); ++rank)
      mock.write(tensor, rank, Values(static_cast<std::size_t>(shape.elements()), rank + 1));
    return tensor;
  }
  MockRuntime mock;
};

template <class Run>
MockError failure_of(const Run& run) {
  try {
    run();
  } catch (const MockError& error) {
    return error;
  }
  throw std::logic_error("the run has succeeded");
}

}  // namespace kernbench::test
