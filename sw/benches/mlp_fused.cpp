// mlp-fused: gemm, bias, gelu and gemm in two composites, the hidden layer in TCM.
#include <cmath>

#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/benches/shipped.h"
#include "sw/kernels/mlp.h"

namespace kernbench::benches {
namespace {

constexpr std::uint64_t block_bytes =
    512 * 1024;  // of x and the hidden layer together, in the scratch of 1 MiB

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t tokens = given.integer("tokens"), in = given.integer("d_in"),
                     hidden = given.integer("hidden"), out_columns = given.integer("d_out");
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, tokens);
  const Input x = random_input(torch, {tokens, in}, dtype, rows_over(pes), "x");
  // As trained weights do, these keep the hidden layer near 1, where gelu bends: were it linear,
  // exact inputs would make its values fall on ties of the rounding, and the reference would round
  // the other way.
  const double scale = std::exp2(-std::round(std::log2(static_cast<double>(in)) / 2));
  const Input w1 = random_input(torch, {in, hidden}, dtype, copy_on(pes), "w1", scale);
  const Input b1 = random_input(torch, {hidden}, dtype, copy_on(pes), "b1", scale);
  const Input w2 = random_input(torch, {hidden, out_columns}, dtype, copy_on(pes), "w2");
  const Tensor out = torch.empty({tokens, out_columns}, dtype, rows_over(pes), "out");
  const int block_rows =
      rows_within(tokens, static_cast<std::uint64_t>(in + hidden) * size_of(dtype), block_bytes);
  torch.launch(launch_on_first("mlp", pes), kernels::mlp_fused, x.tensor, w1.tensor, b1.tensor,
               w2.tensor, out, block_rows);
  // The hidden layer is rounded as the kernel says: two roundings.
  torch.verify(
      out,
      [x = x.host, w1 = w1.host, b1 = b1.host, w2 = w2.host] {
        const Shape shape{x->shape()[0], w1->shape()[1]};
        const std::vector<double> before = reference::add_to_rows(reference::matmul(*x, *w1), *b1);
        return reference::matmul(
            HostArray(shape, x->dtype(), reference::each(before, reference::gelu)), *w2);
      },
      2);
}

}  // namespace

Bench mlp_fused() {
  return {"mlp-fused",
          "Gemm with bias and gelu, then gemm: two composites, the hidden layer stays in TCM",
          {extent("tokens", "rows of x", 32), extent("d_in", "columns of x", 64),
           extent("hidden", "columns of the hidden layer", 256),
           extent("d_out", "columns of the result", 64), float_dtype("of all tensors"),
           shared_by_pes("PEs of the cube that share the tokens; fewer if there are fewer tokens")},
          &run};
}

}  // namespace kernbench::benches
