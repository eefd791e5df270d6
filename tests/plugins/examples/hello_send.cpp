// hello_send: rank 0 sends a block to its neighbour, which stores it; and the bench hello-send,
// which runs the kernel on two PEs. Explained in sw/collectives/README.md.
#include <algorithm>
#include <vector>

#include "models/base/plugin.h"
#include "sw/benches/bench_registry.h"
#include "sw/collectives/shipped_graphs.h"
#include "sw/torch/torch.h"

namespace acme {

using namespace kernbench;

void hello_send(tl::Program& tl, tl::Tensor data, tl::Tensor received) {
  if (tl.program_id(0) == 0) {
    const tl::Handle block = tl.load(data.local(), data.local_shape(), data.dtype());
    tl.send("E", block);
  } else if (tl.program_id(0) == 1) {
    const tl::Handle block = tl.recv("W", received.local_shape(), received.dtype());
    tl.store(received.local(), block);
  }
}

namespace {

void run(Torch& torch) {
  const Shape shape{2, 64};
  const DPPolicy row_on_each{Placement::replicate, Placement::row_wise, 1, 2};  // of two PEs
  const HostArray sent = torch.random(shape, DType::f16);
  const Tensor data = torch.from_host(sent, row_on_each, "data");
  const Tensor received = torch.zeros(shape, DType::f16, row_on_each, "received");

  torch.ipcq.install(graphs::intra_pe_ring(this_device, 0, 2));
  torch.launch(LaunchSpec("hello_send").on_pes({0, 1}), hello_send, data, received);

  // Row 0, of PE 0, stays as it is; row 1 is what PE 0 has sent.
  torch.verify(received, [sent] {
    const std::vector<double> values = sent.values();
    std::vector<double> expected(values.size());
    std::copy_n(values.begin(), 64, expected.begin() + 64);
    return expected;
  });
}

void add_all(PluginRegistries& to) {
  to.benches.add({"hello-send", "PE 0 sends a block to PE 1, which stores it", {}, &run});
}

}  // namespace
}  // namespace acme

KERNBENCH_PLUGIN("acme_hello_send", acme::add_all);
