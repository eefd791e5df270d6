// Requests that are played concurrently with a plain initiator: links count what all of them do, in
// the time that all of it took (spec 11.3).
#include <boost/test/unit_test.hpp>

#include "platform/traffic/traffic_player.h"
#include "platform/traffic/traffic_summary.h"
#include "tests/support/forked.h"
#include "tests/tlm/boundary_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using plain_tlm::LtInitiator;

BOOST_AUTO_TEST_SUITE(concurrent_traffic_test)

namespace {

// One read of 256 B of a PE's own HBM at 100 ns: until 115 ns + 4 fs.
class OneRead final : public TrafficSource {
 public:
  explicit OneRead(const Platform& platform) : platform_(platform) {}
  bool next(TrafficRequest& request) override {
    if (given_) return false;
    given_ = true;
    request = {100 * ns,
               0,
               256,
               platform_.graph().at("sip0.cube0.pe1.pe_dma"),
               platform_.graph().at("sip0.cube0.hbm_ctrl.pe1"),
               0,
               false};
    return true;
  }

 private:
  const Platform& platform_;
  bool given_ = false;
};

class Summarised final : public TrafficListener {
 public:
  explicit Summarised(Platform& platform) : summary(platform) {}
  void began() override { summary.begin(); }
  void ended(const TrafficResult& result) override { summary.add(result); }
  TrafficSummary summary;
};

}  // namespace

// The initiator writes 64 KiB before the request, while it is in flight, and long after it: its
// link is busy for nearly all of that time.
KERNBENCH_SYSTEMC_TEST(no_link_is_busy_for_longer_than_the_traffic_and_its_concurrent_initiator) {
  BoundaryMachine m;
  m.add_lt_initiator({[&](LtInitiator& i) {
    for (int round = 0; round < 20; ++round) i.write(m.hbm(0), pattern(1 << 16));
  }});
  m.build();
  OneRead source(m.platform());
  Summarised listener(m.platform());
  TrafficPlayer player("traffic", m.platform(), source, listener);
  m.run();
  const auto summary = listener.summary.json(1000);
  BOOST_TEST(summary.at("makespan_ns").get<double>() < 20);
  BOOST_TEST(summary.at("elapsed_ns").get<double>() >
             5000);  // 20 times 256 ns on the link at least, less the first 100 ns
  const auto& busiest = summary.at("busiest_links").at(0);
  BOOST_TEST(busiest.at("utilisation").get<double>() > 0.5);
  for (const auto& link : summary.at("busiest_links"))
    BOOST_TEST(link.at("utilisation").get<double>() <= 1.0, link.at("src"));
  // 64 KiB * 20 less what had left by 100 ns: the first write's flits, 1 ns each from 0 on.
  for (const auto& link : summary.at("busiest_links")) {
    if (link.at("src") == "sip0.cube0.ext0") BOOST_TEST(link.at("bytes") == 20 * 65536 - 100 * 256);
  }
}

BOOST_AUTO_TEST_SUITE_END()
