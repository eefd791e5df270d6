// qkv-gemm, qkv-gemm-multi-pe, gpt3-qkv: the query, key and value projections of a transformer
// layer, q = x wq, k = x wk, v = x wv, on one PE, over the PEs of a cube, and at the size of GPT-3
// Small (Brown et al. 2020, table 2.1: d_model 768), tensor-parallel over PEs and cubes.
#include <algorithm>
#include <vector>

#include "sw/benches/bench.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

struct Projection {
  tl::Tensor weights, out;
  std::vector<tl::EpilogueEntry> epilogue;
};

void project(tl::Program& tl, const tl::Tensor& x, const std::vector<Projection>& projections,
             std::int64_t block_rows) {
  const std::int64_t rows = x.shape()[0], depth = x.shape()[1];
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min(block_rows, rows - row);
    const auto in_bytes = row * depth * static_cast<std::int64_t>(size_of(x.dtype()));
    const tl::Handle block =
        // Concurrently with the tiles of the previous block.
        tl.load(x + in_bytes, {count, depth}, x.dtype());
    tl.wait();
    for (const Projection& projection : projections) {
      const std::int64_t columns = projection.weights.local_shape()[1];
      const auto out_bytes =
          row * columns * static_cast<std::int64_t>(size_of(projection.out.dtype()));
      const tl::Handle weights =
          tl.ref(projection.weights.local(), {depth, columns}, projection.weights.dtype());
      tl.composite(tl::gemm(block, weights)
                       .to(projection.out.local() + out_bytes)
                       .epilogue(projection.epilogue));
    }
  }
  tl.wait();
}

std::vector<tl::EpilogueEntry> with_bias(tl::Program& tl, const tl::Tensor& bias) {
  return {tl::bias(tl.load(bias.local(), bias.local_shape(), bias.dtype()))};
}

// Every PE computes the columns of q, k and v whose weights it holds; x{rows, depth} is whole on
// each PE. Rows are loaded in blocks of `block_rows`, two of which must fit the scratch; the
// weights are streamed.
void qkv_projection(tl::Program& tl, tl::Tensor x, tl::Tensor wq, tl::Tensor wk, tl::Tensor wv,
                    tl::Tensor q, tl::Tensor k, tl::Tensor v, int block_rows) {
  project(tl, x, {{wq, q, {}}, {wk, k, {}}, {wv, v, {}}}, block_rows);
}

// qkv_projection with a bias per column.
void qkv_projection_bias(tl::Program& tl, tl::Tensor x, tl::Tensor wq, tl::Tensor wk, tl::Tensor wv,
                         tl::Tensor bq, tl::Tensor bk, tl::Tensor bv, tl::Tensor q, tl::Tensor k,
                         tl::Tensor v, int block_rows) {
  project(tl, x,
          {{wq, q, with_bias(tl, bq)}, {wk, k, with_bias(tl, bk)}, {wv, v, with_bias(tl, bv)}},
          block_rows);
}

// --- on the host

struct QkvLayer {
  std::int64_t rows = 0, depth = 0, columns = 0;  // extents of x, and of each of q, k, v
  DType dtype = DType::f16;
  bool bias = false;
  int cubes = 1, pes = 1;  // PEs that share the columns of the weights
};

constexpr std::uint64_t block_bytes = 256 * 1024;  // block of x; two fit the scratch of 1 MiB

struct ProjectionTensors {
  Input weights, bias;
  Tensor out;
};

// Allocates the tensors, launches once, and requests verification of q, k and v.
void run_qkv(Torch& torch, const QkvLayer& layer) {
  const DType out_dtype = is_float(layer.dtype) ? layer.dtype : i32;
  const DPPolicy columns{Placement::column_wise, Placement::column_wise, layer.cubes, layer.pes},
      everywhere{Placement::replicate, Placement::replicate, layer.cubes, layer.pes};
  const Input x = random_input(torch, {layer.rows, layer.depth}, layer.dtype, everywhere, "x");
  const auto projection = [&](const std::string& name) {
    ProjectionTensors made;
    made.weights =
        random_input(torch, {layer.depth, layer.columns}, layer.dtype, columns, "w" + name);
    if (layer.bias)
      made.bias = random_input(torch, {layer.columns}, layer.dtype, columns, "b" + name);
    made.out = torch.empty({layer.rows, layer.columns}, out_dtype, columns, name);
    return made;
  };
  const ProjectionTensors q = projection("q"), k = projection("k"), v = projection("v");

  const LaunchSpec launch = launch_on_first("qkv", layer.pes);
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(layer.depth) * size_of(layer.dtype);
  const int block_rows = rows_within(layer.rows, row_bytes, block_bytes);
  if (layer.bias) {
    torch.launch(launch, qkv_projection_bias, x.tensor, q.weights.tensor, k.weights.tensor,
                 v.weights.tensor, q.bias.tensor, k.bias.tensor, v.bias.tensor, q.out, k.out, v.out,
                 block_rows);
  } else {
    torch.launch(launch, qkv_projection, x.tensor, q.weights.tensor, k.weights.tensor,
                 v.weights.tensor, q.out, k.out, v.out, block_rows);
  }
  for (const ProjectionTensors& each : {q, k, v}) {
    torch.verify(each.out, [x = x.host, weights = each.weights.host, bias = each.bias.host] {
      std::vector<double> product = reference::matmul(*x, *weights);
      return bias ? reference::add_to_rows(std::move(product), *bias) : product;
    });
  }
}

void run_one_pe(Torch& torch) {
  const Attributes& given = torch.parameters();
  run_qkv(torch, {given.integer("M"), given.integer("K"), given.integer("N"),
                  parse_dtype(given.text("dtype")), false, 1, 1});
}

void run_multi_pe(Torch& torch) {
  const Attributes& given = torch.parameters();
  run_qkv(torch,
          {given.integer("M"), given.integer("K"), given.integer("N"),
           parse_dtype(given.text("dtype")), false, 1, static_cast<int>(given.integer("pes"))});
}

void run_gpt3(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t width = given.integer("d_model");
  run_qkv(torch,
          {given.integer("tokens"), width, width, parse_dtype(given.text("dtype")), true,
           static_cast<int>(given.integer("cubes")), static_cast<int>(given.integer("pes"))});
}

// Columns are cut over cubes, in each of them: cubes_of_devices.
Bench qkv_gemm() {
  return {"qkv-gemm",
          "Query, key and value projections on one PE, three composites in flight",
          {extent("M", "rows of x", 32), extent("K", "columns of x, rows of each weight", 64),
           extent("N", "columns of each of q, k and v", 32),
           any_dtype("element type of x and the weights; the products of integers are i32")},
          &run_one_pe,
          &cubes_of_devices};
}

Bench qkv_gemm_multi_pe() {
  return {"qkv-gemm-multi-pe",
          "Query, key and value projections with column-wise weights over the PEs of a cube",
          {extent("M", "rows of x", 32), extent("K", "columns of x, rows of each weight", 64),
           extent("N", "columns of each of q, k and v; at least one for each PE", 32),
           any_dtype("element type of x and the weights; the products of integers are i32"),
           Parameter::integer("pes", "PEs of the cube that share the columns", "", "spec 10.3")
               .default_val(8)
               .range("1", "64")},
          &run_multi_pe,
          &cubes_of_devices};
}

Bench gpt3_qkv() {
  return {"gpt3-qkv",
          "QKV projections with bias of a 768-wide GPT-3 layer, columns over the PEs of a cube or "
          "of several",
          {extent("tokens", "rows of x", 32),
           extent("d_model", "columns of x and of each of q, k and v", 768),
           float_dtype("element type of all tensors"),
           Parameter::integer("pes", "PEs of each cube that share its columns", "", "spec 10.3")
               .default_val(8)
               .range("1", "64"),
           Parameter::integer("cubes", "cubes of the SIP that share the columns", "", "spec 10.3")
               .default_val(1)
               .range("1", "64")},
          &run_gpt3,
          &cubes_of_devices};
}

}  // namespace

void register_qkv(BenchRegistry& registry) {
  registry.add(qkv_gemm());
  registry.add(qkv_gemm_multi_pe());
  registry.add(gpt3_qkv());
}

}  // namespace kernbench::benches
