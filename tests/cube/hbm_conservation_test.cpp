// The HBM controller with banks (spec 2.5) finds a scheduler that serves a burst twice or never.
#include <boost/test/unit_test.hpp>

#include "models/cube/hbm_banked.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hbm_conservation)

namespace {

// HBM whose schedulers serve the second burst `times` times.
template <unsigned times>
class FaultyHbm final : public HbmBanked {
 public:
  using HbmBanked::HbmBanked;

 private:
  void served(std::size_t channel, const HbmAccess& access, HbmDirection direction,
              const HbmSlot& slot, Fs now) override {
    for (unsigned left = ++bursts_ == 2 ? times : 1; left > 0; --left)
      HbmBanked::served(channel, access, direction, slot, now);
  }
  unsigned bursts_ = 0;
};

// Message that ends a run in which four bursts are accessed.
template <unsigned times>
std::string ended_by(bool write) {
  return forked_value([write] {
    MiniMachine machine({"a", "h"}, 32);
    StubNode& a = machine.stub("a");
    machine.add<FaultyHbm<times>>("h",
                                  {{"num_pcs", "1"}, {"refresh", "none"}, {"pcs_per_bus", "0"}});
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

}  // namespace

// A write has ended when its burst is lost: no transaction is outstanding.
BOOST_AUTO_TEST_CASE(a_burst_that_a_scheduler_loses_ends_the_run_with_the_name_of_the_node) {
  for (const bool write : {false, true}) {
    BOOST_TEST(ended_by<1>(write) == "");
    check_contains(ended_by<0>(write), {"h: the scheduler of pseudo-channel 0 has lost bursts",
                                        "has not served 1 of those"});
  }
}

// The slot of the repeated burst is the same: the data bus is booked twice.
BOOST_AUTO_TEST_CASE(a_burst_that_a_scheduler_repeats_ends_the_run_with_the_name_of_the_node) {
  for (const bool write : {false, true}) {
    check_contains(ended_by<2>(write), {"h: the timing of h books pseudo-channel 0"});
  }
}

BOOST_AUTO_TEST_SUITE_END()
