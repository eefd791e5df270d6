// Two PEs with rings between them, and launches on both.
#pragma once

#include <string>

#include "models/base/errors.h"
#include "tests/support/torch_machine.h"

namespace kernbench::test {

inline DPPolicy rows(int pes) { return {Placement::replicate, Placement::row_wise, 1, pes}; }
inline NeighbourGraph ring_of_two() { return graphs::intra_pe_ring(0, 0, 2); }

template <class Kernel>
void launch(Torch& torch, Kernel kernel) {
  const Tensor where = torch.empty({2, 1}, f16, rows(2), "where");
  torch.launch(LaunchSpec("kernel").on_pes({0, 1}), kernel, where);
}

template <class Body>
std::string text_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace kernbench::test
