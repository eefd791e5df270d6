// The bench ipcq-pingpong: what it reports, and that its messages arrive (spec 10.3).
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/bench_runner.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_pingpong)

namespace {

// The columns of the table.
enum Column : std::size_t {
  hop,
  from,
  to,
  bytes,
  ipcq_ns,
  ipcq_gbs,
  no_consume_ns,
  no_consume_gbs,
  dma_ns,
  dma_gbs
};

double number(const std::vector<ResultTable::Cell>& row, Column column) {
  return std::get<double>(row.at(column));
}
std::string text(const std::vector<ResultTable::Cell>& row, Column column) {
  return std::get<std::string>(row.at(column));
}

std::vector<std::vector<ResultTable::Cell>> rows_of(const BenchOutcome& outcome) {
  BOOST_TEST(outcome.status == "completed", outcome.error);
  BOOST_TEST(outcome.failures == "");
  BOOST_REQUIRE(outcome.results.size() == 1u);
  BOOST_TEST(outcome.results[0].columns().size() == 10u);
  return outcome.results[0].rows();
}

BenchRunOptions on(const std::string& topology) {
  BenchRunOptions options;
  options.topology = topology;
  return options;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(every_kind_of_hop_is_measured_for_every_size) {
  const BenchOutcome outcome =
      run_bench("ipcq-pingpong", {{"max_bytes", "32768"}}, on("topology.yaml"));
  const auto rows = rows_of(outcome);
  BOOST_REQUIRE(rows.size() == 25u);  // 128, 512, 2048, 8192, 32768
  const std::vector<std::string> hops{"intra-cube horizontal", "intra-cube vertical",
                                      "inter-cube horizontal", "inter-cube vertical", "inter-SIP"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BOOST_TEST(text(rows[i], hop) == hops[i / 5]);
    BOOST_TEST(text(rows[i], from) == "sip0.cube0.pe0");
    BOOST_TEST(number(rows[i], ipcq_gbs) ==
               static_cast<double>(std::get<std::int64_t>(rows[i][bytes])) /
                   number(rows[i], ipcq_ns));
    BOOST_TEST(number(rows[i], no_consume_ns) < number(rows[i], ipcq_ns));
    if (i % 5 > 0)
      BOOST_TEST(number(rows[i], ipcq_ns) >
                 number(rows[i - 1], ipcq_ns));  // more bytes take longer
  }
  BOOST_TEST(text(rows[0], to) == "sip0.cube0.pe1");
  BOOST_TEST(text(rows[5], to) == "sip0.cube0.pe4");
  BOOST_TEST(text(rows[10], to) == "sip0.cube1.pe0");
  BOOST_TEST(text(rows[15], to) == "sip0.cube4.pe0");
  BOOST_TEST(text(rows[20], to) == "sip1.cube0.pe0");
  BOOST_TEST(number(rows[20], ipcq_ns) > number(rows[10], ipcq_ns));  // the farther the longer
  BOOST_TEST(number(rows[10], ipcq_ns) > number(rows[0], ipcq_ns));
  BOOST_TEST(outcome.tensors.size() == 15u);
}

// 128 bytes from PE 0 to PE 1, its neighbour (tests/pe/ipcq_timing_test.cpp): overhead 1 ns, 0.5 ns
// on each of three links, 2.5 mm (0.25 ns) and twice 1 fs, two routers of 2 ns: 6.75 ns + 2 fs.
// Slot write 128 / 512 = 0.25 ns. With slot read and credit another 0.25 + 6.3125 ns + 2 fs.
KERNBENCH_SYSTEMC_TEST(a_short_message_takes_the_time_of_its_derivation) {
  const auto rows = rows_of(run_bench("ipcq-pingpong", {{"max_bytes", "128"}}));
  BOOST_REQUIRE(rows.size() == 2u);  // a cube alone has two kinds of hop
  BOOST_TEST(number(rows[0], no_consume_ns) == 7.000002, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(number(rows[0], ipcq_ns) == 13.562504, boost::test_tools::tolerance(1e-12));
}

// Rounds of one size that fits a slot all take the same: the ring is empty before each.
KERNBENCH_SYSTEMC_TEST(rounds_repeat_the_first) {
  const double once = forked_value([] {
    return number(rows_of(run_bench("ipcq-pingpong", {{"max_bytes", "128"}})).at(0), no_consume_ns);
  });
  const double often = forked_value([] {
    return number(
        rows_of(run_bench("ipcq-pingpong", {{"max_bytes", "128"}, {"rounds", "5"}})).at(0),
        no_consume_ns);
  });
  BOOST_TEST(once == often, boost::test_tools::tolerance(1e-12));
}

// What ping stores for the verification would share the way of its last message: it is stored in a
// launch of its own, and the last message takes as long as those before it.
KERNBENCH_SYSTEMC_TEST(the_last_message_takes_as_long_as_the_others) {
  const auto times = [](const char* rounds) {
    return forked_value([rounds] {
      std::string times;
      for (const auto& row :
           rows_of(run_bench("ipcq-pingpong",
                             {{"min_bytes", "2048"}, {"max_bytes", "8192"}, {"rounds", rounds}})))
        times += fmt::format("{:.6f} {:.6f} ", number(row, ipcq_ns), number(row, no_consume_ns));
      return times;
    });
  };
  BOOST_TEST(times("2") == times("5"));
}

// 64 pieces, of which a ring holds four: pong's time is still that of messages which it has
// received, and no part of a last reply that waits for credits. Inside a cube a piece takes 4096 /
// 256 = 16 ns on the links, and its slot read of 8 ns and credit of 6.3 ns hide behind the next
// one.
KERNBENCH_SYSTEMC_TEST(a_message_of_many_pieces_takes_the_time_of_its_bytes) {
  const auto rows =
      rows_of(run_bench("ipcq-pingpong", {{"min_bytes", "131072"}, {"max_bytes", "262144"}}));
  const double more_ns = number(rows.at(1), ipcq_ns) - number(rows.at(0), ipcq_ns);
  BOOST_TEST(131072 / more_ns == 256.0, boost::test_tools::tolerance(0.001));
}

BOOST_AUTO_TEST_CASE(rings_of_every_kind_and_size_carry_the_messages) {
  for (const std::vector<GivenParameter>& parameters : std::vector<std::vector<GivenParameter>>{
           {{"buffer_kind", "sram"}, {"n_slots", "1"}},
           {{"buffer_kind", "hbm"}, {"slot_size", "65536"}},
           {{"buffer_kind", "tcm"}, {"slot_size", "100"}, {"backpressure", "poll"}},
           {{"slot_size", "1048576"}, {"capacity_check", "false"}}}) {
    forked([&] {
      std::vector<GivenParameter> all = parameters;
      all.insert(all.end(), {{"min_bytes", "1000"}, {"max_bytes", "20000"}});
      BOOST_TEST(rows_of(run_bench("ipcq-pingpong", all)).size() ==
                 8u);  // 1000, 4000, 16000, 20000
    });
  }
}

KERNBENCH_SYSTEMC_TEST(rings_that_do_not_fit_end_the_bench_with_their_sizes) {
  const BenchOutcome outcome = run_bench("ipcq-pingpong", {{"slot_size", "1048576"}});
  BOOST_TEST(outcome.status == "failed");
  BOOST_TEST(
      outcome.error.find("rings of 4 slots of 1048576 bytes do not fit") != std::string::npos,
      outcome.error);
}

KERNBENCH_SYSTEMC_TEST(it_runs_with_data_off) {
  BenchRunOptions options;
  options.data = DataMode::off;
  BOOST_TEST(rows_of(run_bench("ipcq-pingpong", {{"max_bytes", "4096"}}, options)).size() == 8u);
}

BOOST_AUTO_TEST_CASE(a_row_of_results_has_a_cell_for_each_column) {
  ResultTable table("t", {"a", "b_ns"});
  table.add({std::string("x"), 1.5});
  table.add({{}, std::int64_t{3}});
  BOOST_TEST(table.rows().size() == 2u);
  BOOST_CHECK_THROW(table.add({1.0}), ModelError);
}

BOOST_AUTO_TEST_SUITE_END()
