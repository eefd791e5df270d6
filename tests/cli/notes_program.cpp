// What makes `kernbench_notes` of the program's own objects: more benches, test-notes, which says
// something about its launches and messages, test-operators, which names the operators and tokens
// of a step, and test-messages, whose kernels say something about their values. The linker sends
// calls of register_benches() here
// (--wrap).
#include "sw/benches/bench_registry.h"
#include "sw/tl/program.h"

namespace {

using namespace kernbench;

void load_all(tl::Program& tl, tl::Tensor x) { tl.load(x.local(), x.local_shape(), x.dtype()); }

void run(Torch& torch) {
  const Tensor x = torch.zeros({4}, f16, DPPolicy::on_one_pe(), "x");
  torch.set_timestamp_tag("step 3");
  torch.launch(LaunchSpec("noted").on_pe(0).meta({{"layer", "3"}, {"head", "all"}}), load_all, x);
  torch.set_timestamp_tag();
  torch.launch(LaunchSpec("plain").on_pe(0), load_all, x);
  x.read_discard();
}

// f16{32, 64} x f16{64, 32}
void product(tl::Program& tl, tl::Tensor a, tl::Tensor b) {
  tl.dot(tl.load(a.local(), a.local_shape(), a.dtype()),
         tl.load(b.local(), b.local_shape(), b.dtype()));
}

// Each rank: a product while an all_reduce is in flight, then one alone.
void run_operators(Torch& torch) {
  torch.multiprocessing.spawn(
      [&torch](int rank) {
        torch.ahbm.set_device(rank);
        Distributed& dist = torch.distributed;
        dist.init_process_group("ahbm");
        const DPPolicy one = DPPolicy::on_one_pe();
        const Tensor a = torch.full({32, 64}, 1, f16, one, "a"),
                     b = torch.full({64, 32}, 1, f16, one, "b"),
                     sums = torch.full({1, 4096}, 1, f16, one, "sums");
        dist.barrier();
        Work work = dist.all_reduce(sums, "sum", true);
        LaunchMeta meta{{"op", "mlp"}};
        if (rank == 0) meta["tokens"] = "32";
        torch.launch(LaunchSpec("product").on_pe(0).meta(meta), product, a, b);
        work.wait();
        dist.all_reduce(sums, "sum");
      },
      torch.distributed.ranks_to_spawn());
}

// Row sums of {2, 4}; `below`: what they are asserted to stay below, the known values also.
void tell(tl::Program& tl, tl::Tensor x, tl::Tensor out, float below) {
  const tl::Handle block = tl.load(x.local(), x.local_shape(), x.dtype());
  tl.device_print("sums ", tl.sum(block, 1));
  tl.device_print("x ", block);
  tl.device_assert(tl.sum(block, 1) < below, "sums are small");
  tl.device_assert(tl.arange(0, 4) < 4, "of an index block");
  tl.store(out.local(), tl.cumsum(block, 1));
}

void run_messages(Torch& torch) {
  const DPPolicy rows{Placement::replicate, Placement::row_wise, 1, 2};
  const Tensor x = torch.full({4, 4}, 2, f16, rows, "x"),
               out = torch.empty({4, 4}, f16, rows, "out");
  const auto below = static_cast<float>(torch.parameters().integer("below"));
  torch.launch(LaunchSpec("telling").on_pes({0, 1}), tell, x, out, below);
  torch.verify(out, [] {
    std::vector<double> expected;
    for (int i = 0; i < 16; ++i) expected.push_back(2 * (i % 4 + 1));
    return expected;
  });
}

}  // namespace

#define WRAPPED(prefix) prefix##_ZN9kernbench16register_benchesERNS_13BenchRegistryE

extern "C" void WRAPPED(__real_)(kernbench::BenchRegistry& benches);

extern "C" void WRAPPED(__wrap_)(kernbench::BenchRegistry& benches) {
  WRAPPED(__real_)(benches);
  benches.add({"test-notes", "launches with notes", {}, &run});
  Bench operators{"test-operators", "a step with operators and tokens", {}, &run_operators};
  operators.per_device = false;
  benches.add(std::move(operators));
  benches.add({"test-messages",
               "kernels that print and assert",
               {kernbench::Parameter::integer("below", "bound of the sums", "", "test")
                    .default_val(10)
                    .range("0", "100")},
               &run_messages});
}
