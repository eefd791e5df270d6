// SRAM, and with it every terminal memory (spec 2.6), in femtoseconds: flits of 16 B, 10 fs of
// overhead; links unlimited with 1 fs of propagation unless said otherwise.
#include "models/cube/sram.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using kernbench::test::MiniLink;
using kernbench::test::MiniMachine;
using kernbench::test::StubNode;

BOOST_AUTO_TEST_SUITE(sram)

namespace {

struct Scratchpad {
  explicit Scratchpad(const MiniLink& back = {}) {
    machine.connect("a", "s", {}, back);
    machine.connect("b", "s", {}, back);
    machine.elaborate();
  }
  MiniMachine machine{{"a", "b", "s"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  Sram& s{machine.add<Sram>("s", {{"overhead_ns", "0.00001"}})};
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_write_is_acknowledged_an_overhead_after_its_last_flit) {
  Scratchpad t;
  Transaction& write = t.machine.write("a", "s", 0, 48);
  t.a.send_flit_at(write, 0, 100);
  t.a.send_flit_at(write, 1, 130);
  t.a.send_flit_at(write, 2, 170);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 171U + 10U + 1U);
  BOOST_TEST(t.a.records().size() == 1U);
}

KERNBENCH_SYSTEMC_TEST(a_posted_write_completes_there) {
  Scratchpad t;
  t.a.send_at(t.machine.posted_write("a", "s", 0, 48), 100);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 101U + 10U);
  BOOST_TEST(t.a.records().size() == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_read_is_answered_an_overhead_after_its_command_all_flits_at_once) {
  Scratchpad t({"4e6", 1});  // back: 4 fs per flit
  t.a.send_at(t.machine.read("a", "s", 8, 40),
              100);  // flits of 8, 16, 16 B: all are queued at the link at 111
  t.machine.run();
  BOOST_TEST(t.a.times() == (std::vector<Fs>{111 + 2 + 1, 111 + 6 + 1, 111 + 10 + 1}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(there_is_no_serial_server) {
  Scratchpad t;
  t.a.send_at(t.machine.read("a", "s", 0, 16), 100);
  t.b.send_at(t.machine.write("b", "s", 0, 16), 103);
  t.a.send_at(t.machine.read("a", "s", 0, 16), 105);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 112U);
  BOOST_TEST(t.machine.completed_at(1) == 115U);
  BOOST_TEST(t.machine.completed_at(2) == 117U);
}

KERNBENCH_SYSTEMC_TEST(answers_of_one_instant_go_by_the_tie_rule) {
  Scratchpad t({"4e6", 1});
  t.a.send_at(t.machine.read("a", "s", 0, 32, 7), 100);
  t.a.send_at(t.machine.read("a", "s", 0, 16, 3), 100);  // the smaller id: first on the link
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(1) == 111U + 4U + 1U);
  BOOST_TEST(t.machine.completed_at(0) == 111U + 12U + 1U);
}

KERNBENCH_SYSTEMC_TEST(counts_its_accesses) {
  Scratchpad t;
  t.a.send_at(t.machine.read("a", "s", 0, 40), 100);
  t.b.send_at(t.machine.posted_write("b", "s", 0, 16), 103);
  t.machine.run();
  std::map<std::string, std::uint64_t> values;
  for (const Statistic& statistic : t.s.statistics()) values[statistic.name] = *statistic.value;
  BOOST_TEST(values["reads"] == 1U);
  BOOST_TEST(values["bytes_read"] == 40U);
  BOOST_TEST(values["writes"] == 1U);
  BOOST_TEST(values["bytes_written"] == 16U);
}

BOOST_AUTO_TEST_SUITE_END()
