// Kernels that send and receive (spec 6, 8.1): what arrives, in which order, and what is refused.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/pe/ipcq_machine.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

DPPolicy on_pes(int pes) { return {Placement::replicate, Placement::row_wise, 1, pes}; }

// Each PE sends its row east and stores what it receives from the west.
void shift(tl::Program& tl, tl::Tensor x, tl::Tensor out) {
  const tl::Handle mine = tl.load(x.local(), x.local_shape(), x.dtype());
  tl.send("E", mine);
  tl.store(out.local(), tl.recv("W", out.local_shape(), out.dtype()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ipcq_kernels)

KERNBENCH_SYSTEMC_TEST(what_is_sent_arrives_at_the_neighbour) {
  IpcqMachine m;
  m.run([](Torch& torch) {
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8));
    const HostArray values = torch.random({8, 64}, f16);
    const Tensor x = torch.from_host(values, on_pes(8), "x"), out = torch.empty({8, 64}, f16, on_pes(8), "out");
    torch.launch("shift", shift, x, out);
    const std::vector<double> sent = values.values(), got = out.to_host().values();
    for (std::size_t i = 0; i < sent.size(); ++i) BOOST_TEST(got[(i + 64) % got.size()] == sent[i]);
  });
}

BOOST_AUTO_TEST_SUITE_END()
