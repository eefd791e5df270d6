// MemoryNode with a service from outside (tests/rules/one_port.h), in femtoseconds: flits of 16 B,
// 10 fs of overhead; 16 B at the port take 16 fs.
#include "tests/rules/one_port.h"

#include <boost/test/unit_test.hpp>

#include "models/cube/sram.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(one_port_test)

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

// A service that ends an access twice, or says a wrong start.
template <bool Twice>
class Wrong : public FixedLatency {
 public:
  using FixedLatency::FixedLatency;
  template <class Done>
  void serve(Fs now, Done done) {
    FixedLatency::serve(now, [&](const Arrival& access, Fs start) {
      done(access, Twice ? start : now + 1);
      if (Twice) done(access, start);
    });
  }
};

enum class Access { read, write, posted_write };

template <class Service>
std::string fault_of(Access kind) {
  MiniMachine machine({"a", "s"}, 16);
  StubNode& a = machine.stub("a");
  machine.add<MemoryNode<Service>>("s", {{"overhead_ns", "0.00001"}});
  machine.connect("a", "s");
  machine.elaborate();
  a.send_at(kind == Access::read    ? machine.read("a", "s", 0, 32)
            : kind == Access::write ? machine.write("a", "s", 0, 32)
                                    : machine.posted_write("a", "s", 0, 32),
            100);
  try {
    machine.run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

const std::string answered =
    "s: its service has called done() for an access that has been answered, or is not in flight";

KERNBENCH_SYSTEMC_TEST(a_read_that_is_ended_twice_ends_the_run) {
  BOOST_TEST(fault_of<Wrong<true>>(Access::read) == answered);
}
KERNBENCH_SYSTEMC_TEST(a_write_that_is_ended_twice_ends_the_run) {
  BOOST_TEST(fault_of<Wrong<true>>(Access::write) == answered);
}
KERNBENCH_SYSTEMC_TEST(a_posted_write_that_is_ended_twice_ends_the_run) {
  BOOST_TEST(fault_of<Wrong<true>>(Access::posted_write) == answered);
}
KERNBENCH_SYSTEMC_TEST(an_access_that_begins_after_its_end_ends_the_run) {
  BOOST_TEST(fault_of<Wrong<false>>(Access::read) ==
             "s: its service reports a start at 0.000112 ns for an arrival at 0.000101 ns that is "
             "forwarded now, at 0.000111 ns");
}

// Port 101 to 143 for the read, 143 to 169 for the write that came at 106.
KERNBENCH_SYSTEMC_TEST(the_port_of_another_service_serves_accesses_sequentially) {
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

BOOST_AUTO_TEST_SUITE_END()
