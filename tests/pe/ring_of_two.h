// Two PEs with rings between them, and launches on both.
#pragma once

#include <string>

#include "models/base/errors.h"
#include "tests/pe/ipcq_kernels.h"

namespace kernbench::test {

inline NeighbourGraph ring_of_two() { return ring_of(2); }

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
