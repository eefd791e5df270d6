// The bench sram-swap: PEs of a cube hand blocks to their neighbours through the shared SRAM of the
// cube, by its physical address. `put` writes a computed block of each PE there, `get` reads that
// of the next PE.
#include <vector>

#include "models/address/phys_addr.h"
#include "models/base/plugin.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/program.h"

namespace kernbench {
namespace {

tl::Ptr place(const tl::Program& tl, int pe, std::int64_t offset, std::uint64_t bytes) {
  const std::uint64_t begin =
      static_cast<std::uint64_t>(offset) + bytes * static_cast<std::uint64_t>(pe);
  return tl::Ptr(PhysAddr::cube_sram_addr(static_cast<unsigned>(tl.pe_id().sip),
                                          static_cast<unsigned>(tl.pe_id().cube), begin)
                     .encode());
}

void put(tl::Program& tl, tl::Tensor x, std::int64_t offset) {
  const tl::Handle block = tl.load(x.local(), x.local_shape(), x.dtype());
  const auto bytes = static_cast<std::uint64_t>(x.local_shape().elements()) * size_of(x.dtype());
  tl.store(place(tl, tl.program_id(0), offset, bytes), block + block);
}

void get(tl::Program& tl, tl::Tensor out, std::int64_t offset, int pes) {
  const auto bytes =
      static_cast<std::uint64_t>(out.local_shape().elements()) * size_of(out.dtype());
  const tl::Ptr from = place(tl, (tl.program_id(0) + 1) % pes, offset, bytes);
  tl.store(out.local(), tl.load(from, out.local_shape(), out.dtype()));
}

// 2 * x with its blocks rotated by one.
void swap_through_sram(Torch& torch, std::int64_t rows, std::int64_t offset) {
  constexpr int pes = 8;
  const Shape shape{rows * pes, 64};
  const benches::Input x = benches::random_input(torch, shape, f16, benches::rows_over(pes), "x");
  const Tensor out = torch.empty(shape, f16, benches::rows_over(pes), "out");
  torch.launch("put", put, x.tensor, offset);
  torch.launch("get", get, out, offset, pes);
  torch.verify(out, [x = x.host, rows] {
    const std::vector<double> values = x->values();
    std::vector<double> expected(values.size());
    const auto block = static_cast<std::size_t>(rows) * 64;
    for (std::size_t i = 0; i < values.size(); ++i)
      expected[i] = 2 * values[(i + block) % values.size()];
    return expected;
  });
}

void run_swap(Torch& torch) {
  swap_through_sram(torch, torch.parameters().integer("rows"),
                    torch.parameters().integer("offset"));
}

Bench sram_swap() {
  return {"sram-swap",
          "blocks that PEs of a cube hand on through its SRAM",
          {Parameter::integer("rows", "rows of a block, of 128 B each", "", "example")
               .default_val(16)
               .range(1, 512),
           Parameter::integer("offset", "offset of the blocks in the SRAM", "B", "example")
               .default_val(0)
               .range(0, 1 << 20)},
          &run_swap};
}

void add_all(PluginRegistries& to) { to.benches.add(sram_swap()); }

}  // namespace
}  // namespace kernbench

KERNBENCH_PLUGIN("sram_swap", kernbench::add_all);
