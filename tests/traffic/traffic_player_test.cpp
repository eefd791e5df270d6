// The player: the same bytes on every repetition, memory that does not grow with the number of
// requests, ends of runs.
#include "platform/traffic/traffic_player.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>
#include <utility>

#include "models/base/errors.h"
#include "platform/traffic/traffic_generator.h"
#include "platform/traffic/traffic_rows.h"
#include "platform/traffic/traffic_summary.h"
#include "tests/support/forked.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(traffic_player)

namespace {

class Printed final : public TrafficListener {
 public:
  Printed(Platform& platform, TrafficRows::Format format)
      : rows_(platform, out_, format), summary_(platform) {
    rows_.begin();
  }
  void ended(const TrafficResult& result) override { summary_.add(result); }
  void in_order(const TrafficResult& result) override { rows_.row(result); }
  std::string text() {
    rows_.end();
    return out_.str() + "\n" + summary_.json().dump();
  }

 private:
  std::ostringstream out_;
  TrafficRows rows_;
  TrafficSummary summary_;
};

std::string printed(const std::string& topology, TrafficPattern pattern,
                    TrafficRows::Format format) {
  return forked_value([&] {
    TrafficMachine m(topology);
    TrafficRecipe recipe;
    recipe.pattern = pattern;
    recipe.initiators = {"sip*.cube0.pe*.pe_dma", "sip*.io0.pcie_ep"};
    recipe.requests = 20;
    recipe.size_bytes = 1000;
    recipe.read_share = Rational::parse("0.5");
    recipe.max_outstanding = 3;
    TrafficGenerator generator(recipe, *m.platform);
    Printed out(*m.platform, format);
    TrafficPlayer player("traffic", *m.platform, generator, out);
    const RunResult result = m.platform->run();
    if (result.cause) std::rethrow_exception(result.cause);
    return out.text();
  });
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

BOOST_AUTO_TEST_CASE(equal_runs_print_equal_bytes) {
  const auto check = [](const std::string& topology, TrafficPattern pattern) {
    const std::string csv = printed(topology, pattern, TrafficRows::Format::csv);
    BOOST_TEST(csv.size() > 10000U);
    BOOST_TEST((csv == printed(topology, pattern, TrafficRows::Format::csv)));
  };
  check("topology.yaml", TrafficPattern::hotspot);
  check("topology.tiny.yaml", TrafficPattern::closed_loop);
  BOOST_TEST((printed("topology.tiny.yaml", TrafficPattern::random, TrafficRows::Format::json) ==
              printed("topology.tiny.yaml", TrafficPattern::random, TrafficRows::Format::json)));
}

// 300,000 requests, a few outstanding at a time: what is resident after a tenth of them is all
// there is. Their entries alone would be 14 MB.
KERNBENCH_SYSTEMC_TEST(memory_is_bounded_by_the_requests_in_flight) {
  constexpr std::uint32_t rows = 300'000;
  std::string text = csv_header;
  text.reserve(rows * 64);
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::string pe = std::to_string(i % 8);
    text += std::to_string(i * 4) + ",sip0.cube0.pe" + pe + ".pe_dma," +
            (i % 3 == 0 ? "write" : "read") + ",sip0.cube0.hbm_ctrl.pe" + pe + "," +
            std::to_string(i % 8 * 256) + ",64\n";
  }
  const CsvFile csv(text);
  text = std::string();
  class Watch final : public TrafficListener {
   public:
    void in_order(const TrafficResult&) override {
      if (++seen == rows / 10) early = resident_bytes();
      if (seen == rows) late = resident_bytes();
    }
    std::uint32_t seen = 0;
    std::size_t early = 0, late = 0;
  } watch;
  TrafficMachine m("topology.tiny.yaml");
  TrafficFile file(csv.path(), *m.platform);
  BOOST_TEST(file.check() == rows);
  TrafficPlayer player("traffic", *m.platform, file, watch);
  BOOST_TEST(m.platform->run().error == "");
  BOOST_TEST(watch.seen == rows);
#ifndef __SANITIZE_ADDRESS__  // which keeps what is freed
  BOOST_TEST(watch.late <= watch.early + (1u << 20), watch.late << " after " << watch.early);
#endif
}

// What has ended is handed on in the order of ids, with gaps where requests are outstanding.
KERNBENCH_SYSTEMC_TEST(a_stopped_run_hands_on_what_has_ended) {
  TrafficMachine m("topology.yaml");
  // Ends: 167.8, 15, 42.7 ns.
  const CsvFile csv(csv_header +
                    "0,sip0.cube0.pe0.pe_dma,read,sip1.cube0.hbm_ctrl.pe0,0,512\n0,sip0.cube0."
                    "pe1.pe_dma,read,sip0.cube0.hbm_ctrl.pe1,0,256\n"
                    "0,sip1.io0.pcie_ep,write,sip1.cube0.hbm_ctrl.pe0,0,512\n500,sip0.cube0."
                    "pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n");
  TrafficFile file(csv.path(), *m.platform);
  file.check();
  class Ids final : public TrafficListener {
   public:
    void in_order(const TrafficResult& result) override { ids.push_back(result.request.id); }
    std::vector<std::uint32_t> ids;
  } in_order;
  TrafficPlayer player("traffic", *m.platform, file, in_order);
  RunLimits limits;
  limits.until = 100 * fs_per_ns;
  const RunResult result = m.platform->run(limits);
  BOOST_TEST(name_of(result.status) == "until_reached");
  BOOST_TEST(player.issued() == 3u);
  BOOST_TEST(player.ended() == 2u);
  BOOST_TEST(in_order.ids.empty());  // row 0 has not ended
  player.hand_on_ended();
  BOOST_TEST(in_order.ids == (std::vector<std::uint32_t>{1, 2}), boost::test_tools::per_element());
}

// A request cut off in a source that fails: the run ends with what the source says.
KERNBENCH_SYSTEMC_TEST(a_source_that_fails_ends_the_run) {
  class Fails final : public TrafficSource {
   public:
    bool next(TrafficRequest&) override { throw UsageError("row 7 has changed"); }
  } source;
  class SilentListener final : public TrafficListener {
  } listener;
  TrafficMachine m("topology.tiny.yaml");
  TrafficPlayer player("traffic", *m.platform, source, listener);
  const RunResult result = m.platform->run();
  BOOST_TEST(name_of(result.status) == "failed");
  BOOST_TEST(result.error == "traffic at 0 ns: row 7 has changed");
}

// A file is checked for that before; what makes its own requests is not. pe_gemm is no node of the
// fabric.
KERNBENCH_SYSTEMC_TEST(a_request_without_a_way_ends_the_run_and_names_both_ends) {
  for (const std::string initiator : {"sip0.cube0.pe0.pe_dma", "sip0.io0.pcie_ep"}) {
    const std::string error = forked_value([&] {
      TrafficMachine m("topology.tiny.yaml");
      class One final : public TrafficSource {
       public:
        explicit One(const TrafficRequest& request) : request_(request) {}
        bool next(TrafficRequest& request) override {
          request = request_;
          return !std::exchange(taken_, true);
        }

       private:
        TrafficRequest request_;
        bool taken_ = false;
      } source(
          {5 * fs_per_ns, 0, 256, m.node(initiator), m.node("sip0.cube0.pe1.pe_gemm"), 0, false});
      class SilentListener final : public TrafficListener {
      } listener;
      TrafficPlayer player("traffic", *m.platform, source, listener);
      const RunResult result = m.platform->run();
      BOOST_TEST(name_of(result.status) == "failed");
      return result.error;
    });
    BOOST_TEST(error.find("traffic at ") == 0U, error);
    BOOST_TEST(error.find("'" + initiator + "'") != error.npos, error);
    BOOST_TEST(error.find("sip0.cube0.pe1.pe_gemm'") != error.npos, error);
  }
}

BOOST_AUTO_TEST_SUITE_END()
