#include "sw/benches/qkv_layer.h"

#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/kernels/qkv.h"

namespace kernbench::benches {
namespace {

constexpr std::uint64_t block_bytes = 256 * 1024;  // of x; two of them in the scratch of 1 MiB

struct Projection {
  Input weights, bias;
  Tensor out;
};

}  // namespace

void run_qkv(Torch& torch, const QkvLayer& layer) {
  const DType out_dtype = is_float(layer.dtype) ? layer.dtype : i32;
  const DPPolicy columns{Placement::column_wise, Placement::column_wise, layer.cubes, layer.pes},
      everywhere{Placement::replicate, Placement::replicate, layer.cubes, layer.pes};
  const Input x = random_input(torch, {layer.rows, layer.depth}, layer.dtype, everywhere, "x");
  const auto projection = [&](const std::string& name) {
    Projection made;
    made.weights =
        random_input(torch, {layer.depth, layer.columns}, layer.dtype, columns, "w" + name);
    if (layer.bias)
      made.bias = random_input(torch, {layer.columns}, layer.dtype, columns, "b" + name);
    made.out = torch.empty({layer.rows, layer.columns}, out_dtype, columns, name);
    return made;
  };
  const Projection q = projection("q"), k = projection("k"), v = projection("v");

  const LaunchSpec launch = launch_on_first("qkv", layer.pes);
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(layer.depth) * size_of(layer.dtype);
  const int block_rows = rows_within(layer.rows, row_bytes, block_bytes);
  if (layer.bias) {
    torch.launch(launch, kernels::qkv_projection_bias, x.tensor, q.weights.tensor, k.weights.tensor,
                 v.weights.tensor, q.bias.tensor, k.bias.tensor, v.bias.tensor, q.out, k.out, v.out,
                 block_rows);
  } else {
    torch.launch(launch, kernels::qkv_projection, x.tensor, q.weights.tensor, k.weights.tensor,
                 v.weights.tensor, q.out, k.out, v.out, block_rows);
  }
  for (const Projection& each : {q, k, v}) {
    torch.verify(each.out, [x = x.host, weights = each.weights.host, bias = each.bias.host] {
      std::vector<double> product = reference::matmul(*x, *weights);
      return bias ? reference::add_to_rows(std::move(product), *bias) : product;
    });
  }
}

}  // namespace kernbench::benches
