// qkv-gemm-multi-pe: the three projections with the columns of the weights over the PEs of a cube.
#include "sw/benches/inputs.h"
#include "sw/benches/qkv_layer.h"
#include "sw/benches/shipped.h"

namespace kernbench::benches {
namespace {

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  run_qkv(torch,
          {given.integer("M"), given.integer("K"), given.integer("N"),
           parse_dtype(given.text("dtype")), false, 1, static_cast<int>(given.integer("pes"))});
}

}  // namespace

Bench qkv_gemm_multi_pe() {
  return {"qkv-gemm-multi-pe",
          "Query, key and value projections with column-wise weights over the PEs of a cube",
          {extent("M", "rows of x", 32), extent("K", "columns of x, rows of each weight", 64),
           extent("N", "columns of each of q, k and v; at least one for each PE", 32),
           any_dtype("of x and the weights; the products of integers are i32"),
           Parameter::integer("pes", "PEs of the cube that share the columns", "", "spec 10.3")
               .default_val(8)
               .range("1", "64")},
          &run};
}

}  // namespace kernbench::benches
