// qkv-gemm: the three projections of a layer on one PE.
#include "sw/benches/inputs.h"
#include "sw/benches/qkv_layer.h"
#include "sw/benches/shipped.h"

namespace kernbench::benches {
namespace {

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  run_qkv(torch, {given.integer("M"), given.integer("K"), given.integer("N"),
                  parse_dtype(given.text("dtype")), false, 1, 1});
}

}  // namespace

Bench qkv_gemm() {
  return {"qkv-gemm",
          "Query, key and value projections on one PE, three composites in flight",
          {extent("M", "rows of x", 32), extent("K", "columns of x, rows of each weight", 64),
           extent("N", "columns of each of q, k and v", 32),
           any_dtype("of x and the weights; the products of integers are i32")},
          &run};
}

}  // namespace kernbench::benches
