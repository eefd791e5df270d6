// Kernels that exchange messages along a row of PEs, and what has arrived.
#pragma once

#include <string>
#include <vector>

#include "tests/support/forked.h"
#include "tests/support/torch_machine.h"

namespace kernbench::test {

inline DPPolicy rows(int pes, int cubes = 1) {
  return {Placement::row_wise, Placement::row_wise, cubes, pes};
}

inline NeighbourGraph ring_of(int pes) { return graphs::intra_pe_ring(0, 0, pes); }

inline HostArray array(const Shape& shape, const std::vector<double>& values) {
  return HostArray(shape, f16, values);
}

// Rows x_0, x_1, ... of so many elements, of small integers.
inline HostArray input(std::int64_t rows, std::int64_t columns) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < rows * columns; ++i)
    values.push_back(static_cast<double>(i * 7 % 23 - 11));
  return HostArray({rows, columns}, f16, values);
}

// Launches on the PEs of x and out, after installing, and verifies out.
template <class Kernel>
std::string run(TorchMachine& m, const NeighbourGraph& graph, Kernel kernel, const HostArray& x,
                std::vector<double> expected, const IpcqSettings& options = {}) {
  m.run([&](Torch& torch) {
    torch.ipcq.install(graph, options);
    const int pes = static_cast<int>(x.shape()[0]);
    const Tensor in = torch.from_host(x, rows(pes), "x"),
                 out = torch.zeros(x.shape(), f16, rows(pes), "out");
    std::vector<int> targets;
    for (int pe = 0; pe < pes; ++pe) targets.push_back(pe);
    torch.launch(LaunchSpec("kernel").on_pes(targets), kernel, in, out);
    torch.verify(out, [expected] { return expected; });
  });
  return m.failures();
}

// The rows, each moved to the PE `by` places on.
inline std::vector<double> moved(const HostArray& x, std::int64_t by) {
  const std::vector<double> values = x.values();
  std::vector<double> result(values.size());
  const std::size_t n = values.size(), step = static_cast<std::size_t>(by * x.shape()[1]);
  for (std::size_t i = 0; i < n; ++i) result[(i + step) % n] = values[i];
  return result;
}

}  // namespace kernbench::test
