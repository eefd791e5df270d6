// va-offset-verify: a vector rotated through offsets from its base address, across the boundaries
// of shards and pages.
#include <algorithm>

#include "sw/benches/inputs.h"
#include "sw/benches/shipped.h"
#include "sw/kernels/rotate.h"

namespace kernbench::benches {
namespace {

// The vector is cut otherwise than the result, so that a block crosses boundaries of one where it
// crosses none of the other.
void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t n = given.integer("elements"), shift = given.integer("shift");
  const DType dtype = parse_dtype(given.text("dtype"));
  const int cubes = static_cast<int>(std::min(given.integer("cubes"), n));
  const int pes = static_cast<int>(std::min(given.integer("pes"), n / cubes));
  const int out_pes = std::min(pes, std::max(1, pes * 3 / 8));
  const Input x =
      random_input(torch, {n}, dtype, {Placement::row_wise, Placement::row_wise, cubes, pes}, "x");
  const Tensor out =
      torch.empty({n}, dtype, {Placement::row_wise, Placement::row_wise, cubes, out_pes}, "out");
  torch.launch(launch_on_first("rotate", pes), kernels::rotate, x.tensor, out, shift,
               given.integer("block"));
  torch.verify(out, [x = x.host, shift] {
    std::vector<double> values = x->values();
    std::rotate(values.begin(), values.begin() + shift % static_cast<std::int64_t>(values.size()),
                values.end());
    return values;
  });
}

}  // namespace

Bench va_offset_verify() {
  return {"va-offset-verify",
          "A vector rotated by offsets from its base address, across shards, pages and cubes",
          {extent("elements", "of the vector", 40009),
           extent("block", "elements moved at a time", 3001),
           extent("shift", "out[i] = x[i + shift], wrapping at the end", 12347),
           any_dtype("of the vector"),
           Parameter::integer(
               "pes",
               "shards of the vector in each cube, and PEs that move blocks; no more than elements",
               "", "spec 10.3")
               .default_val(8)
               .range("1", "64"),
           Parameter::integer("cubes", "over which the vector lies", "", "spec 10.3")
               .default_val(1)
               .range("1", "64")},
          &run};
}

}  // namespace kernbench::benches
