// tp-mlp: the MLP of a transformer layer over tensor-parallel SIPs, y = act(x w1 + b1) w2 + b2,
// with x = 0.1: a column-parallel and a row-parallel layer (sw/tp), as in ADR-0027.
#include <memory>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/tp/linear.h"

namespace kernbench::benches {
namespace {

// Values of the whole layers, equal on all ranks.
struct Values {
  HostArray x, w1, b1, w2, b2;
};

struct Mlp {
  std::int64_t rows, in, hidden, out;
  DType dtype;
  bool gelu, bias, sequence_parallel;
  std::shared_ptr<const Values> values;  // null with data off
};

Mlp mlp_of(Torch& torch) {
  const Attributes& given = torch.parameters();
  Mlp mlp{given.integer("B"),
          given.integer("d_in"),
          given.integer("hidden"),
          given.integer("d_out"),
          parse_dtype(given.text("dtype")),
          given.flag("gelu"),
          given.flag("bias"),
          given.flag("sequence_parallel"),
          nullptr};
  if (!torch.with_data()) return mlp;
  const auto random = [&](const Shape& shape, double scale) {
    return random_array(torch, shape, mlp.dtype, scale);
  };
  mlp.values = std::make_shared<const Values>(
      Values{HostArray::full({mlp.rows, mlp.in}, mlp.dtype, 0.1),
             random({mlp.in, mlp.hidden}, 4 * scale_of_depth(mlp.in)), random({mlp.hidden}, 1),
             random({mlp.hidden, mlp.out}, scale_of_depth(mlp.hidden)), random({mlp.out}, 1)});
  return mlp;
}

// Writes weight and bias; with data off zeros, by the same transfers.
template <class Layer>
void set(Layer& layer, const Mlp& mlp, const HostArray Values::*weight,
         const HostArray Values::*bias) {
  if (mlp.values != nullptr) {
    layer.copy_weight_((*mlp.values).*weight);
    if (mlp.bias) layer.copy_bias_((*mlp.values).*bias);
  } else {
    layer.weight.fill_(0);
    if (mlp.bias) layer.bias.fill_(0);
  }
}

std::vector<double> expected_rows(const Mlp& mlp, std::int64_t first, std::int64_t count) {
  const Values& values = *mlp.values;
  std::vector<double> before = reference::matmul(values.x, values.w1);
  if (mlp.bias) before = reference::add_to_rows(std::move(before), values.b1);
  if (mlp.gelu) before = reference::each(std::move(before), reference::gelu);
  std::vector<double> y =
      reference::matmul(HostArray({mlp.rows, mlp.hidden}, mlp.dtype, before), values.w2);
  if (mlp.bias) y = reference::add_to_rows(std::move(y), values.b2);
  return {y.begin() + first * mlp.out, y.begin() + (first + count) * mlp.out};
}

void run_rank(Torch& torch, const Mlp& mlp, const tp::ParallelState& state) {
  tp::ColumnParallelOptions column;
  column.dtype = mlp.dtype;
  column.bias = mlp.bias;
  column.sequence_parallel = mlp.sequence_parallel;
  if (mlp.gelu) column.activation = ops::Activation::gelu;
  column.name = "fc1";
  tp::ColumnParallelLinear fc1(state, mlp.in, mlp.hidden, column);
  tp::RowParallelOptions row;
  row.dtype = mlp.dtype;
  row.bias = mlp.bias;
  row.sequence_parallel = mlp.sequence_parallel;
  const Placement cut = parse_placement(torch.parameters().text("fc2_weight"));
  row.policy = {cut, cut, {}, {}};
  row.name = "fc2";
  tp::RowParallelLinear fc2(state, mlp.hidden, mlp.out, row);
  set(fc1, mlp, &Values::w1, &Values::b1);
  set(fc2, mlp, &Values::w2, &Values::b2);

  const std::int64_t rows = mlp.sequence_parallel ? mlp.rows / state.size() : mlp.rows,
                     first = mlp.sequence_parallel ? state.rank() * rows : 0;
  const Tensor x = torch.full({rows, mlp.in}, 0.1, mlp.dtype, {}, "x");
  torch.distributed.barrier();
  const Tensor y = fc2.forward(fc1.forward(x));
  // The hidden layer, the product of each rank, each sum, and the bias are rounded.
  torch.verify(
      y, [mlp, first, rows] { return expected_rows(mlp, first, rows); }, 3 + 2 * state.size());
}

void run(Torch& torch) {
  const int ranks = torch.distributed.ranks_to_spawn().size;
  check_parts(torch, "tp-mlp", "hidden", ranks, pes_of_rank(torch));
  if (torch.parameters().text("fc2_weight") == "column_wise")
    check_parts(torch, "tp-mlp", "d_out", 1, pes_of_rank(torch));
  if (torch.parameters().flag("sequence_parallel")) {
    check_parts(torch, "tp-mlp", "B", ranks, 1);
    if (torch.parameters().text("fc2_weight") == "row_wise")
      throw UsageError(
          "tp-mlp: fc2_weight is row_wise with sequence_parallel, allowed: column_wise, because a "
          "reduce_scatter takes no partial sums");
  }
  const Mlp mlp = mlp_of(torch);
  tp::spawn(torch, [&](const tp::ParallelState& state) { run_rank(torch, mlp, state); });
}

Parameter flag(const char* name, const char* description, bool by_default) {
  return Parameter::boolean(name, description, "spec 10.3").default_val(by_default);
}

}  // namespace

void register_tp_mlp(BenchRegistry& registry) {
  Bench bench{
      "tp-mlp",
      "MLP over tensor-parallel SIPs: column-parallel, then row-parallel layer, one all-reduce",
      {extent("B", "rows of x", 1), extent("d_in", "columns of x", 512),
       extent("hidden", "columns of the hidden layer; the SIPs divide it", 2048),
       extent("d_out", "columns of the result", 512),
       choice("dtype", "element type of all tensors", {"f16", "bf16", "f32"}),
       flag("gelu", "gelu of the hidden layer", false),
       flag("bias", "both layers have a bias", false),
       flag("sequence_parallel",
            "each SIP has a part of the rows of x and of the result: an all-gather before, a "
            "reduce-scatter after; the SIPs divide B",
            false),
       choice("fc2_weight",
              "second weight over the PEs of a SIP: column_wise, each PE reads the whole hidden "
              "layer; row_wise, only its part, and the all-reduce adds partial sums of all PEs",
              {"column_wise", "row_wise"}, "spec 7")},
      &run};
  bench.per_device = false;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
