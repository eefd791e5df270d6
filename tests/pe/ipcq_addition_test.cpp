// Queue pairs that are added to an installation: those that are there keep what they hold
// (docs/decisions/ipcq-ring-installation.md).
#include "models/base/errors.h"
#include "tests/support/forked.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_addition)

namespace {

const PeId pe0{0, 0, 0}, pe1{0, 0, 1};

NeighbourGraph pair_of(const std::string& there, const std::string& back) {
  return NeighbourGraph().connect(pe0, there, pe1).connect(pe1, back, pe0);
}

// A kernel that runs on one PE.
template <class Kernel>
LaunchHandle start(Torch& torch, int pe, Kernel kernel) {
  const Tensor where =
      torch.empty({8, 1}, f16, {Placement::replicate, Placement::row_wise, 1, 8}, "where");
  return torch.launch_async(LaunchSpec("kernel").on_pe(pe), kernel, where);
}

std::map<std::pair<PeId, std::string>, std::uint64_t> bases(const Torch& torch) {
  std::map<std::pair<PeId, std::string>, std::uint64_t> found;
  for (const IpcqRing& ring : torch.ipcq.rings())
    found[{ring.end.pe, ring.end.direction}] = ring.base;
  return found;
}

}  // namespace

// One message lies in the ring W of PE 1 when intra_E and intra_W come; PE 1 then takes it, and one
// that comes by the new way.
KERNBENCH_SYSTEMC_TEST(a_message_that_waits_is_still_there) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of("E", "W"));
    const auto before = bases(torch);
    torch.wait(start(torch, 0, [](tl::Program& tl, tl::Tensor) { tl.send("E", tl.full({1}, 7)); }));
    BOOST_TEST(m.runtime->ipcq.add(pair_of("intra_E", "intra_W")));
    BOOST_TEST(torch.ipcq.rings().size() == 4U);
    auto after = bases(torch);
    for (const auto& [end, base] : before) BOOST_TEST(after.at(end) == base);
    torch.wait(
        start(torch, 0, [](tl::Program& tl, tl::Tensor) { tl.send("intra_E", tl.full({1}, 8)); }));
    torch.wait(start(torch, 1, [](tl::Program& tl, tl::Tensor) {
      if (tl.recv("W", {1}, f16).item() != 7 || tl.recv("intra_W", {1}, f16).item() != 8)
        throw std::runtime_error("mixed up");
    }));
  });
}

// A receive waits for its message while A and B come, a send for its credit while child and parent
// come.
KERNBENCH_SYSTEMC_TEST(operations_that_wait_go_on) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    IpcqSettings options;
    options.n_slots = 1;
    torch.ipcq.install(pair_of("E", "W"), options);
    const LaunchHandle receive = start(torch, 1, [](tl::Program& tl, tl::Tensor) {
      tl.recv("W", {4}, f16);
      tl.cycles(5000);
      for (int i = 0; i < 2; ++i) tl.recv("W", {4}, f16);
    });
    sc_core::wait(1, sc_core::SC_US);
    BOOST_TEST(m.runtime->ipcq.add(pair_of("A", "B")));
    const LaunchHandle send = start(torch, 0, [](tl::Program& tl, tl::Tensor) {
      for (int i = 0; i < 3; ++i) tl.send("E", tl.full({4}, i));
    });
    sc_core::wait(1, sc_core::SC_US);
    BOOST_TEST(!send.done());
    BOOST_TEST(m.runtime->ipcq.add(pair_of("child", "parent")));
    torch.wait(receive);
    torch.wait(send);
  });
}

// Each ring holds as many messages as it has slots: so many sends end without a receive,
// and one more waits.
KERNBENCH_SYSTEMC_TEST(added_rings_have_slots_of_their_own_number) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of("E", "W"));
    BOOST_TEST(m.runtime->ipcq.add(pair_of("A", "B"), 2));
    BOOST_TEST(m.runtime->ipcq.add(pair_of("C", "D"), 6));
    for (const IpcqRing& ring : torch.ipcq.rings()) {
      const std::string& name = ring.end.direction;
      const unsigned slots = name == "E" || name == "W" ? 4 : name == "A" || name == "B" ? 2 : 6;
      BOOST_TEST(ring.nbytes == slots * 4096U);
    }
    torch.wait(start(torch, 0, [](tl::Program& tl, tl::Tensor) {
      for (const char* direction : {"E", "A", "C"}) {
        for (int i = 0; i < tl.ring_slots(direction); ++i) tl.send(direction, tl.full({4}, i));
      }
    }));
    for (const auto& [to, from, slots] :
         {std::tuple("E", "W", 4), std::tuple("A", "B", 2), std::tuple("C", "D", 6)}) {
      const LaunchHandle one_more =
          start(torch, 0, [to = std::string(to), last = slots](tl::Program& tl, tl::Tensor) {
            tl.send(to, tl.full({4}, last));
          });
      sc_core::wait(1, sc_core::SC_US);
      BOOST_TEST(!one_more.done(), to);
      torch.wait(start(torch, 1,
                       [from = std::string(from), count = slots + 1](tl::Program& tl, tl::Tensor) {
                         for (int i = 0; i < count; ++i) {
                           if (tl.recv(from, {4}, f16).data().at(0) != i)
                             throw std::runtime_error("mixed up");
                         }
                       }));
      torch.wait(one_more);
    }
  });
}

// What is there already is no addition to anything, and no error.
KERNBENCH_SYSTEMC_TEST(adding_what_is_there_changes_nothing) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of("E", "W"));
    const Fs begun = torch.now();
    BOOST_TEST(m.runtime->ipcq.add(pair_of("E", "W")));
    BOOST_TEST(torch.now() == begun);
    BOOST_TEST(torch.ipcq.rings().size() == 2U);
  });
}

// x <-> y is what is joined; with `a` and `z` present it would be x <-> a, as names are joined
// in byte order.
KERNBENCH_SYSTEMC_TEST(what_would_change_queue_pairs_is_no_addition) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    BOOST_TEST(!m.runtime->ipcq.add(pair_of("E", "W")));
    torch.ipcq.install(pair_of("x", "y"));
    BOOST_TEST(!m.runtime->ipcq.add(
        NeighbourGraph().connect(pe0, "x", {0, 0, 2}).connect({0, 0, 2}, "w", pe0)));
    BOOST_TEST(!m.runtime->ipcq.add(pair_of("z", "a")));
    BOOST_TEST(torch.ipcq.rings().size() == 2U);
    BOOST_TEST(torch.ipcq.graph().neighbours(pe0).size() == 1U);
  });
}

// A PE_IPCQ that holds 12 queue pairs: eleven more than one is as many as there are, twelve more
// are too many, and leave nothing behind.
KERNBENCH_SYSTEMC_TEST(additions_beyond_what_pe_ipcq_holds_are_refused) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_ipcq.attrs.queue_pairs", "12"}});
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of("E", "W"));
    const auto more = [](int count) {
      NeighbourGraph graph;
      for (int i = 0; i < count; ++i)
        graph.add(pair_of("more" + std::to_string(10 + i), "more" + std::to_string(10 + i)));
      return graph;
    };
    const std::uint64_t used = m.runtime->memory->used_bytes(pe0);
    BOOST_CHECK_EXCEPTION(m.runtime->ipcq.add(more(12)), LaunchError,
                          [](const LaunchError& error) { return error.code() == "ipcq_full"; });
    BOOST_TEST(m.runtime->memory->used_bytes(pe0) == used);
    BOOST_TEST(torch.ipcq.rings().size() == 2U);
    BOOST_TEST(m.runtime->ipcq.add(more(11)));
    BOOST_TEST(torch.ipcq.rings().size() == 24U);
  });
}

BOOST_AUTO_TEST_SUITE_END()
