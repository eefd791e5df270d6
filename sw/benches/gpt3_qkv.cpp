// gpt3-qkv: the projections of a layer of GPT-3 Small (Brown et al. 2020, table 2.1: d_model 768),
// tensor-parallel over PEs and cubes.
#include "sw/benches/inputs.h"
#include "sw/benches/qkv_layer.h"
#include "sw/benches/shipped.h"

namespace kernbench::benches {
namespace {

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t width = given.integer("d_model");
  run_qkv(torch,
          {given.integer("tokens"), width, width, parse_dtype(given.text("dtype")), true,
           static_cast<int>(given.integer("cubes")), static_cast<int>(given.integer("pes"))});
}

}  // namespace

Bench gpt3_qkv() {
  return {"gpt3-qkv",
          "QKV projections with bias of a 768-wide GPT-3 layer, columns over the PEs of a cube or "
          "of several",
          {extent("tokens", "rows of x", 32),
           extent("d_model", "columns of x and of each of q, k and v", 768),
           float_dtype("of all tensors"),
           Parameter::integer("pes", "PEs of each cube that share its columns", "", "spec 10.3")
               .default_val(8)
               .range("1", "64"),
           Parameter::integer("cubes", "cubes of the SIP that share the columns", "", "spec 10.3")
               .default_val(1)
               .range("1", "64")},
          &run};
}

}  // namespace kernbench::benches
