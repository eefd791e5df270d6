// The bench acme-axpy with its kernel, in one plug-in with an algorithm of all_reduce, acme_chain.
#include "models/base/plugin.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/ring_schedules.h"
#include "sw/collectives/schedule_kernels.h"

namespace acme {
namespace {

using namespace kernbench;

// --- the bench

// out = alpha * x + y, block by block of whole rows.
void axpy_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor y, tl::Tensor out, float alpha) {
  const tl::Handle a = tl.load(x.local(), x.local_shape(), x.dtype());
  const tl::Handle b = tl.load(y.local(), y.local_shape(), y.dtype());
  tl.store(out.local(), alpha * a + b);
}

void run(Torch& torch) {
  const Shape shape{torch.parameters().integer("rows"), 64};
  const DPPolicy over_pes = benches::rows_over(8);
  const benches::Input x = benches::random_input(torch, shape, f16, over_pes, "x");
  const benches::Input y = benches::random_input(torch, shape, f16, over_pes, "y");
  const Tensor out = torch.empty(shape, f16, over_pes, "out");
  torch.launch("axpy", axpy_kernel, x.tensor, y.tensor, out, 0.5F);
  torch.verify(
      out,
      [x = x.host, y = y.host] {
        std::vector<double> expected = x->values();
        const std::vector<double> added = y->values();
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i] = 0.5 * expected[i] + added[i];
        return expected;
      },
      2);
}

// --- the algorithm: a chain of reductions along the ring to its last rank, and a broadcast back

tl::KernelCall chain(const CollectiveCall& call) {
  const ScheduleOptions options = call.options(call.group.size);
  const auto body = [options](tl::Program& tl, tl::Tensor data, int position, int ranks) {
    if (!data.has_local()) return;
    run_schedule(tl, schedules::ring_reduce(position, ranks, 0), blocks_in_place(data, 1), options);
    run_schedule(tl, schedules::ring_broadcast(position, ranks, 0), blocks_in_place(data, 1),
                 options);
  };
  return tl::bind_kernel(body, call.inputs.front(), ring_position(call.group, call.rank),
                         call.group.size);
}

void add_all(PluginRegistries& to) {
  to.benches.add({"acme-axpy",
                  "0.5 * x + y with the rows over the PEs of a cube",
                  {Parameter::integer("rows", "rows of the matrices", "", "assumption")
                       .default_val(64)
                       .range(8, 65536)},
                  &run});
  to.algorithms.add({"acme_chain",
                     "a reduction along the ring to one rank, then a broadcast",
                     CollectiveOp::all_reduce,
                     all_sip_topologies(),
                     "any shards, the same on every rank",
                     {},
                     {},
                     rank_ring,
                     chain});
}

}  // namespace
}  // namespace acme

KERNBENCH_PLUGIN("acme_sw", acme::add_all);
