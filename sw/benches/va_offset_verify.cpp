// va-offset-verify: rotates a vector by offsets from its base address, across the boundaries of
// shards and pages.
#include <algorithm>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// The programs of the launch process blocks of `block` elements in turn, at offsets from the bases
// of the two tensors; accesses cross boundaries of shards and pages.
void rotate(tl::Program& tl, tl::Tensor x, tl::Tensor out, std::int64_t shift, std::int64_t block) {
  const std::int64_t n = x.shape().elements();
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t programs = std::int64_t{tl.num_programs(0)} * tl.num_programs(1);
  const std::int64_t self = std::int64_t{tl.program_id(1)} * tl.num_programs(0) + tl.program_id(0);
  for (std::int64_t begin = self * block; begin < n; begin += programs * block) {
    const std::int64_t end = std::min(begin + block, n);
    for (std::int64_t to = begin, count = 0; to < end; to += count) {
      const std::int64_t from = (to + shift) % n;
      count = std::min(end - to, n - from);  // up to the wrap of x
      tl.store(out + to * size, tl.load(x + from * size, {count}, x.dtype()));
    }
  }
}

// --- on the host

// Vector and result are cut differently, so that blocks cross boundaries of one that are none of
// the other.
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
  torch.launch(launch_on_first("rotate", pes), rotate, x.tensor, out, shift,
               given.integer("block"));
  torch.verify(out, [x = x.host, shift] {
    std::vector<double> values = x->values();
    std::rotate(values.begin(), values.begin() + shift % static_cast<std::int64_t>(values.size()),
                values.end());
    return values;
  });
}

}  // namespace

void register_va_offset_verify(BenchRegistry& registry) {
  registry.add(
      {"va-offset-verify",
       "A vector rotated by offsets from its base address, across shards, pages and cubes",
       {extent("elements", "elements of the vector", 40009),
        extent("block", "elements moved at a time", 3001),
        extent("shift", "out[i] = x[i + shift], wrapping at the end", 12347),
        any_dtype("element type of the vector"),
        Parameter::integer("pes",
                           "shards of the vector in each cube, and PEs that move blocks; at most "
                           "the number of elements",
                           "", "spec 10.3")
            .default_val(8)
            .range("1", "64"),
        Parameter::integer("cubes", "cubes over which the vector is distributed", "", "spec 10.3")
            .default_val(1)
            .range("1", "64")},
       &run,
       &cubes_of_devices});
}

}  // namespace kernbench::benches
