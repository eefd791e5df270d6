// Atomic accesses at SRAM and HBM (spec 2.5, 2.6), in femtoseconds: flits of 16 B; links unlimited
// with 1 fs of propagation.
#include <boost/test/unit_test.hpp>

#include "models/cube/hbm_controller.h"
#include "models/cube/sram.h"
#include "models/protocol/atomic_part.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(atomic_service)

namespace {

// Notes who is served when.
struct Services {
  struct Effect final : AtomicEffect {
    Effect(Services& of, int number) : of_(of), number_(number) {}
    void serve(const AtomicSpans&, Fs now) override { of_.list.push_back({number_, now}); }
    Services& of_;
    int number_;
  };
  std::vector<std::pair<int, Fs>> list;
};

struct Memory {
  template <class Node>
  void add(const std::map<std::string, std::string>& attributes) {
    machine.add<Node>("m", attributes);
    machine.connect("a", "m");
    machine.connect("b", "m");
    machine.elaborate();
  }
  // One operand, as `number` among the services.
  Transaction& atomic(const char* from, std::uint64_t offset, unsigned bytes, int number) {
    Transaction& transaction = machine.write(from, "m", offset, bytes);
    auto access = std::make_shared<AtomicAccess>();
    access->effect = std::make_shared<Services::Effect>(services, number);
    auto part = std::make_shared<AtomicPart>();
    part->access = access;
    part->spans = {{0, bytes}};
    transaction.route().atomic = part;
    return transaction;
  }
  Services services;
  MiniMachine machine{{"a", "b", "m"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
};

using List = std::vector<std::pair<int, Fs>>;

}  // namespace

// Both memories answer with the flits of the old values.
KERNBENCH_SYSTEMC_TEST(a_scratchpad_serves_and_answers_an_overhead_after_the_last_flit) {
  Memory m;
  m.add<Sram>({{"overhead_ns", "0.00001"}});
  Transaction& access = m.atomic("a", 8, 40, 1);
  m.a.send_flit_at(access, 0, 100);
  m.a.send_flit_at(access, 1, 130);
  m.a.send_flit_at(access, 2, 170);
  m.machine.run();
  BOOST_TEST((m.services.list == List{{1, 181}}));
  BOOST_TEST(m.a.times() == (std::vector<Fs>{182, 182, 182}), boost::test_tools::per_element());
  BOOST_TEST(m.a.records().at(0).bytes == 8U);
}

// Bursts of 32 B take 16 fs; 4 channels. Both accesses are on channel 0: 101 to 133, 133 to 165.
KERNBENCH_SYSTEMC_TEST(an_hbm_reads_and_writes_each_burst_in_the_order_of_arrival) {
  Memory m;
  m.add<HbmCtrl>({{"num_pcs", "4"}, {"burst_bytes", "32"}, {"link_bw_gbs", "8e6"}});
  m.b.send_at(m.atomic("b", 0, 16, 2), 101);
  m.a.send_at(m.atomic("a", 128, 4, 1), 100);
  m.machine.run();
  BOOST_TEST((m.services.list == List{{1, 101}, {2, 102}}));
  BOOST_TEST(m.a.times() == (std::vector<Fs>{101 + 32 + 1}), boost::test_tools::per_element());
  BOOST_TEST(m.b.times() == (std::vector<Fs>{101 + 64 + 1}), boost::test_tools::per_element());
}

// The bursts of a write before it are not disturbed: they are booked when their flits come.
KERNBENCH_SYSTEMC_TEST(an_access_waits_for_the_channel_as_reads_and_writes_do) {
  Memory m;
  m.add<HbmCtrl>({{"num_pcs", "4"}, {"burst_bytes", "32"}, {"link_bw_gbs", "8e6"}});
  m.a.send_at(m.machine.write("a", "m", 0, 16), 100);
  m.b.send_at(m.atomic("b", 16, 4, 1), 101);
  m.a.send_at(m.machine.read("a", "m", 0, 16), 102);
  m.machine.run();
  BOOST_TEST((m.services.list == List{{1, 102}}));
  BOOST_TEST(m.machine.completed_at(0) == 101U + 16 + 1);
  BOOST_TEST(m.machine.completed_at(1) == 101U + 48 + 1);
  BOOST_TEST(m.machine.completed_at(2) == 101U + 64 + 1);
}

// Of one instant: by the tie rule, the lower id first.
KERNBENCH_SYSTEMC_TEST(accesses_of_one_instant_are_served_by_the_tie_rule) {
  Memory m;
  m.add<HbmCtrl>({{"num_pcs", "4"}, {"burst_bytes", "32"}, {"link_bw_gbs", "8e6"}});
  m.b.send_at(m.atomic("b", 0, 4, 2), 100);
  m.a.send_at(m.atomic("a", 0, 4, 1), 100);
  m.machine.run();
  BOOST_TEST((m.services.list == List{{1, 101}, {2, 101}}));
}

BOOST_AUTO_TEST_SUITE_END()
