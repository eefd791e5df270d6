// mlp-fused: gemm, bias, gelu and gemm in two composites, the hidden layer in TCM.
#include <algorithm>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// Two composites; the hidden layer stays in TCM, rounded to the dtype of x. Every PE works on its
// own rows of x, `block_rows` at a time; the weights are whole on each PE and are streamed.
void mlp_fused(tl::Program& tl, tl::Tensor x, tl::Tensor w1, tl::Tensor b1, tl::Tensor w2,
               tl::Tensor out, int block_rows) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1],
                     columns_out = out.local_shape()[1];
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const tl::Handle bias = tl.load(b1, b1.shape(), b1.dtype());
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    const tl::Handle block = tl.load(x.local() + row * columns * size, {count, columns}, x.dtype());
    const auto hidden = tl.composite(
        tl::gemm(block, tl.ref(w1, w1.shape(), w1.dtype())).epilogue({tl::bias(bias), tl::gelu()}));
    // The use of the hidden layer waits for it.
    tl.wait(tl.composite(tl::gemm(hidden.result(), tl.ref(w2, w2.shape(), w2.dtype()))
                             .to(out.local() + row * columns_out * size)));
  }
}

// --- on the host

constexpr std::uint64_t block_bytes =
    512 * 1024;  // x and the hidden layer together, in the scratch of 1 MiB

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t tokens = given.integer("tokens"), in = given.integer("d_in"),
                     hidden = given.integer("hidden"), out_columns = given.integer("d_out");
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, tokens);
  const Input x = random_input(torch, {tokens, in}, dtype, rows_over(pes), "x");
  // Like trained weights, these keep the hidden layer near 1, where gelu is not linear. In a linear
  // range, exact inputs would produce rounding ties, which the reference could round differently.
  const double scale = scale_of_depth(in);
  const Input w1 = random_input(torch, {in, hidden}, dtype, copy_on(pes), "w1", scale);
  const Input b1 = random_input(torch, {hidden}, dtype, copy_on(pes), "b1", scale);
  const Input w2 = random_input(torch, {hidden, out_columns}, dtype, copy_on(pes), "w2");
  const Tensor out = torch.empty({tokens, out_columns}, dtype, rows_over(pes), "out");
  const int block_rows =
      rows_within(tokens, static_cast<std::uint64_t>(in + hidden) * size_of(dtype), block_bytes);
  torch.launch(launch_on_first("mlp", pes), mlp_fused, x.tensor, w1.tensor, b1.tensor, w2.tensor,
               out, block_rows);
  // Two roundings: the kernel rounds the hidden layer, too.
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

void register_mlp_fused(BenchRegistry& registry) {
  registry.add({"mlp-fused",
                "Gemm with bias and gelu, then gemm: two composites, the hidden layer stays in TCM",
                {extent("tokens", "rows of x", 32), extent("d_in", "columns of x", 64),
                 extent("hidden", "columns of the hidden layer", 256),
                 extent("d_out", "columns of the result", 64),
                 float_dtype("element type of all tensors"), shared_by_pes("tokens")},
                &run,
                &first_cubes});
}

}  // namespace kernbench::benches
