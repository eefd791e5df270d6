// The HBM controller with banks (spec 2.5) finds a scheduler that serves a burst twice or never.
#include <boost/test/unit_test.hpp>

#include "models/cube/hbm_banked_flow.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hbm_conservation)

namespace {

// Serves the second burst `times` times.
template <unsigned times>
struct FaultyScheduler : HbmBankScheduler {
  using HbmBankScheduler::HbmBankScheduler;
  template <class Served, class Forwarded>
  void serve(Fs now, Served served, Forwarded forwarded) {
    HbmBankScheduler::serve(
        now,
        [&](const HbmAccess& access, HbmDirection direction, const HbmSlot& slot) {
          for (unsigned left = ++bursts == 2 ? times : 1; left > 0; --left)
            served(access, direction, slot);
        },
        forwarded);
  }
  unsigned bursts = 0;
};

// Message that ends a run in which four bursts are accessed.
template <unsigned times>
std::string ended_by(bool write) {
  return forked_value([write] {
    MiniMachine machine({"a", "h"}, 32);
    StubNode& a = machine.stub("a");
    machine.add<HbmBankedController<FaultyScheduler<times>>>(
        "h", {{"num_pcs", "1"}, {"refresh", "none"}, {"pcs_per_bus", "0"}});
    machine.connect("a", "h");
    machine.elaborate();
    a.send_at(write ? machine.write("a", "h", 0, 128) : machine.read("a", "h", 0, 128), 100);
    try {
      machine.run();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

// A write has ended when its burst is lost: no transaction is outstanding.
BOOST_AUTO_TEST_CASE(a_burst_that_a_scheduler_loses_ends_the_run_with_the_name_of_the_node) {
  for (const bool write : {false, true}) {
    BOOST_TEST(ended_by<1>(write) == "");
    const std::string error = ended_by<0>(write);
    BOOST_TEST(contains(error, "h: the scheduler of pseudo-channel 0 has lost bursts"), error);
    BOOST_TEST(contains(error, "has not served 1 of those"), error);
  }
}

// The slot of the repeated burst is the same: the data bus is booked twice.
BOOST_AUTO_TEST_CASE(a_burst_that_a_scheduler_repeats_ends_the_run_with_the_name_of_the_node) {
  for (const bool write : {false, true}) {
    const std::string error = ended_by<2>(write);
    BOOST_TEST(contains(error, "h: the timing of h books pseudo-channel 0"), error);
  }
}

BOOST_AUTO_TEST_SUITE_END()
