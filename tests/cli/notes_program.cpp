// What makes `kernbench_notes` of the program's own objects: one more bench, test-notes, which says
// something about its launches and messages. The linker sends calls of register_benches() here
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

}  // namespace

#define WRAPPED(prefix) prefix##_ZN9kernbench16register_benchesERNS_13BenchRegistryE

extern "C" void WRAPPED(__real_)(kernbench::BenchRegistry& benches);

extern "C" void WRAPPED(__wrap_)(kernbench::BenchRegistry& benches) {
  WRAPPED(__real_)(benches);
  benches.add({"test-notes", "launches with notes", {}, &run});
}
