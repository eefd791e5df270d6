// The bench @kebab-name@ and its kernel: out = relu(2 * x + y),
// rows distributed over the PEs of a cube.
#include <algorithm>

#include "models/base/plugin.h"
#include "sw/benches/bench_registry.h"
#include "sw/torch/torch.h"

namespace {

namespace tl = kernbench::tl;

// Runs on each PE; local() is the PE's part of a tensor.
void kernel(tl::Program& tl, tl::Tensor x, tl::Tensor y, tl::Tensor out) {
  const tl::Handle a = tl.load(x.local(), x.local_shape(), x.dtype());  // DMA: HBM to TCM
  const tl::Handle b = tl.load(y.local(), y.local_shape(), y.dtype());
  tl.store(out.local(),
           tl.relu(2.0F * a + b));  // three operations of PE_MATH, then DMA: TCM to HBM
}

// Runs on the host.
void run(kernbench::Torch& torch) {
  const kernbench::Shape shape{torch.parameters().integer("rows"),
                               torch.parameters().integer("columns")};
  const kernbench::DPPolicy rows_over_pes{kernbench::Placement::replicate,
                                          kernbench::Placement::row_wise, 1, 8};
  const kernbench::HostArray x = torch.random(shape, kernbench::f16),
                             y = torch.random(shape, kernbench::f16);
  const kernbench::Tensor x_tensor = torch.from_host(x, rows_over_pes, "x"),
                          y_tensor = torch.from_host(y, rows_over_pes, "y");
  const kernbench::Tensor out = torch.empty(shape, kernbench::f16, rows_over_pes, "out");

  torch.launch("@name@", kernel, x_tensor, y_tensor, out);

  // Reference in double precision, from the inputs alone. The kernel rounds to f16 twice: the
  // product and the sum.
  torch.verify(
      out,
      [x, y] {
        std::vector<double> expected = x.values();
        const std::vector<double> added = y.values();
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i] = std::max(2 * expected[i] + added[i], 0.0);
        return expected;
      },
      2);
}

void add_all(kernbench::PluginRegistries& to) {
  using kernbench::Parameter;
  to.benches.add({"@kebab-name@",
                  "relu(2 * x + y) with the rows over the PEs of a cube",
                  {Parameter::integer("rows", "rows of the matrices", "", "assumption")
                       .default_val(64)
                       .range(1, 65536),
                   Parameter::integer("columns", "columns of the matrices", "", "assumption")
                       .default_val(256)
                       .range(1, 65536)},
                  &run});
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
