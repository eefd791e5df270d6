// MemoryNode with a service from outside (tests/rules/one_port.h), in femtoseconds: flits of 16 B,
// 10 fs of overhead; 16 B at the port take 16 fs.
#include "tests/rules/one_port.h"

#include <boost/test/unit_test.hpp>

#include "models/cube/sram.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

struct Scratchpad {
  Scratchpad() {
    machine.connect("a", "s");
    machine.connect("b", "s");
    machine.elaborate();
  }
  std::uint64_t statistic(const std::string& name) const {
    for (const Statistic& statistic : s.statistics()) {
      if (statistic.name == name) return statistic.at(Component::now());
    }
    throw std::logic_error(name);
  }
  MiniMachine machine{{"a", "b", "s"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  MemoryNode<OnePort>& s{machine.add<MemoryNode<OnePort>>(
      "s", {{"overhead_ns", "0.00001"}, {"port_bw_gbs", "1000000"}})};
};

}  // namespace

// Port 101 to 143 for the read, 143 to 169 for the write that came at 106.
KERNBENCH_SYSTEMC_TEST(accesses_go_through_the_port_of_another_service_one_after_the_other) {
  Scratchpad t;
  t.a.send_at(t.machine.read("a", "s", 0, 32), 100);
  t.b.send_at(t.machine.write("b", "s", 0, 16), 105);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 101U + 10 + 32 + 1);
  BOOST_TEST(t.machine.completed_at(1) == 143U + 10 + 16 + 1);
  BOOST_TEST(t.statistic("port_busy") == 42U + 26);
  BOOST_TEST(t.statistic("bytes_read") == 32U);
  BOOST_TEST(t.statistic("writes") == 1U);
}
