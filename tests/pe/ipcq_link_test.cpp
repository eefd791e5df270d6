// Compute DMA and IPCQ messages on the link of one PE_DMA in a whole machine (spec 2.6, 8.1).
#include <boost/test/unit_test.hpp>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "tests/support/forked.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_link)

namespace {

constexpr Fs ns = fs_per_ns;

// What goes over the link from PE 0 to its router: 't' a flit of a message, 's' of a store, 'r' the
// command of a load.
class LinkLog final : public tlm::tlm_analysis_if<LinkTraversal> {
 public:
  explicit LinkLog(TorchMachine& m) {
    const NodeId from = m.platform->machine().engine({0, 0, 0}, PeEngine::pe_dma);
    for (const LinkInstance& entry : m.platform->links()) {
      const Edge& edge = m.platform->graph().edges()[entry.edge];
      if (edge.src == from) link_ = entry.link.get();
    }
    m.platform->observation().link_traversals.bind(*this);
  }
  void write(const LinkTraversal& traversal) override {
    if (&traversal.link != link_) return;
    const Transaction& transaction = traversal.transaction;
    const RouteExtension& route = transaction.route();
    if (route.host_control) return;
    order += dynamic_cast<const IpcqMessage*>(route.message.get()) != nullptr ? 't'
             : transaction.is_write()                                         ? 's'
                                                                              : 'r';
    starts.push_back(traversal.start);
    ends.push_back(traversal.end);
  }
  std::string order;
  std::vector<Fs> starts, ends;

 private:
  const Link* link_ = nullptr;
};

DPPolicy rows(int pes) { return {Placement::replicate, Placement::row_wise, 1, pes}; }

// PE 0 sends `messages` blocks of 4 KiB east and stores 2 KiB to its own HBM at the same time.
void send_and_store(tl::Program& tl, tl::Tensor out, int messages) {
  for (int i = 0; i < messages; ++i) {
    if (tl.program_id() == 0) tl.send("E", tl.zeros({2048}));
  }
  if (tl.program_id() == 0) tl.store(out.local(), tl.zeros(out.local_shape()));
  for (int i = 0; i < messages; ++i) {
    if (tl.program_id() == 1) tl.recv("W", {2048}, f16);
  }
}

NeighbourGraph pair_of_pes() {
  NeighbourGraph graph;
  return graph.connect({0, 0, 0}, "E", {0, 0, 1}).connect({0, 0, 1}, "W", {0, 0, 0});
}

void run(TorchMachine& m, int messages, const IpcqSettings& options) {
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of_pes(), options);
    const Tensor out = torch.empty({2, 1024}, f16, rows(2), "out");
    torch.launch(LaunchSpec("both").on_pes({0, 1}), send_and_store, out, messages);
  });
}

}  // namespace

// The message is queued at the link 1 ns after the send, the store (scheduler 1 ns, overhead 1 ns)
// 2 ns after it, when the message's first flit has just left: from then on in turn, 8 flits of the
// store between 8 of the message; the other 7 follow.
KERNBENCH_SYSTEMC_TEST(a_message_and_a_store_take_turns) {
  TorchMachine m;
  LinkLog link(m);
  run(m, 1, {});
  const Fs sent = m.ops("ipcq_send")[0].t_start;
  BOOST_TEST(link.order == "tststststststststttttttt");
  BOOST_TEST(link.starts.front() == sent + 1 * ns);
  for (std::size_t i = 1; i < link.order.size(); ++i)
    BOOST_TEST(link.starts[i] == link.ends[i - 1]);  // never idle
  BOOST_TEST(link.ends.back() == sent + 25 * ns);
}

KERNBENCH_SYSTEMC_TEST(the_chunk_size_of_an_installation_goes_before_that_of_pe_dma) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_dma.attrs.vc_chunk_size", "512"}});
  LinkLog link(m);
  IpcqSettings options;
  options.vc_chunk_size = 1024;
  run(m, 1, options);
  BOOST_TEST(link.order == "ttttsttttsttttsttttsssss");
}

KERNBENCH_SYSTEMC_TEST(the_chunk_size_of_pe_dma_is_the_default) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_dma.attrs.vc_chunk_size", "512"}});
  LinkLog link(m);
  run(m, 1, {});
  BOOST_TEST(link.order == "ttsttsttsttsttsttsttstts");
}

// vc_comm does not wait for vc_compute, which holds its channel for the whole round trip.
KERNBENCH_SYSTEMC_TEST(a_message_does_not_wait_for_the_channels_of_compute) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of_pes());
    const Tensor x = torch.zeros({2, 131072}, f16, rows(2), "x");
    torch.launch(
        LaunchSpec("both").on_pes({0, 1}),
        +[](tl::Program& tl, tl::Tensor x) {
          if (tl.program_id() == 1) tl.recv("W", {256}, f16);
          if (tl.program_id() != 0) return;
          const auto copy = tl.composite(
              tl::math(MathOp::relu, {tl.ref(x.local(), x.local_shape(), f16)}).to(x.local()));
          tl.cycles(200);  // loads and stores are in flight
          tl.send("E", tl.zeros({256}));
          tl.wait(copy);
        },
        x);
  });
  const ExecutedOp send = m.ops("ipcq_send")[0], copy = m.ops("ipcq_copy")[0];
  BOOST_TEST(send.t_end == send.t_start);
  // Alone it would take 9.25 ns + 2 fs; here one flit of the other channel can stand before each of
  // its two, and it may begin in the middle of one.
  BOOST_TEST(copy.t_start >= send.t_start + 9 * ns);
  BOOST_TEST(copy.t_start <= send.t_start + 13 * ns);
}

// The same kernel without messages: rings on the PE change no time of its DMA.
BOOST_AUTO_TEST_CASE(dma_takes_the_same_times_with_and_without_rings) {
  const auto times = [](bool rings) {
    return forked_value([rings] {
      TorchMachine m;
      m.run([&](Torch& torch) {
        if (rings) torch.ipcq.install(pair_of_pes());
        const Tensor x = torch.zeros({2, 5000}, f16, rows(2), "x"),
                     y = torch.zeros({2, 5000}, f16, rows(2), "y"),
                     z = torch.zeros({2, 5000}, f16, rows(2), "z");
        torch.launch(
            LaunchSpec("copy").on_pes({0, 1}),
            +[](tl::Program& tl, tl::Tensor x, tl::Tensor y, tl::Tensor z) {
              const auto a = tl.composite(
                  tl::math(MathOp::relu, {tl.ref(x.local(), x.local_shape(), f16)}).to(y.local()));
              const auto block = tl.load(x.local() + 100, {1, 1000}, f16);
              tl.store(z.ptr() + 9002, block);  // across the shards, and not at a flit
              tl.wait(a);
            },
            x, y, z);
      });
      std::vector<Fs> times;
      Fs first = never_fs;
      for (const OpRecord& record : m.op_log.records()) first = std::min(first, record.op.t_start);
      for (const OpRecord& record : m.op_log.records()) {
        times.push_back(record.op.t_start - first);
        times.push_back(record.op.t_end - first);
      }
      return times;
    });
  };
  const std::vector<Fs> without = times(false), with = times(true);
  BOOST_TEST(without.size() > 100u);
  BOOST_TEST(without == with, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
