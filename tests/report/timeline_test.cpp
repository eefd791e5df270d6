// The timeline in text: how busy each engine was in each interval.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/report/engine_timeline.h"
#include "tests/report/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(timeline_test)

namespace {

const std::string pe0 = "sip0.cube0.pe0", pe1 = "sip0.cube0.pe1";
constexpr Fs ns = fs_per_ns;

struct Timeline : Played<EngineTimeline> {
  Timeline(const HandMadeLog& made, const TimelineOptions& options)
      : Played<EngineTimeline>(made.write(), options) {
    report.close(log.path());
  }
};

// Cells of a row, by part.
std::string cells(const Timeline& timeline, const std::string& part) {
  const Table rows = timeline.report.rows();
  for (const Table::Row& row : rows.rows())
    if (std::get<std::string>(row[1]) == part) return std::get<std::string>(row[3]);
  return "none";
}

}  // namespace

// Ten columns of 10 ns. The read is busy in the first 2.5 columns; the GEMM for 1, 3, 6 and 9 ns of
// four of them.
BOOST_AUTO_TEST_CASE(a_cell_shows_how_much_of_its_interval_was_busy) {
  HandMadeLog log;
  log.ops = {{pe0 + ".pe_dma", "dma_read", 0, 25 * ns, 1},
             {pe0 + ".pe_gemm", "tile/GEMM", 30 * ns, 31 * ns, 1, 0},
             {pe0 + ".pe_gemm", "tile/GEMM", 40 * ns, 43 * ns, 1, 1},
             {pe0 + ".pe_gemm", "gemm_f16", 50 * ns, 56 * ns, 2},
             {pe0 + ".pe_gemm", "gemm_f16", 60 * ns, 69 * ns, 3},
             {pe0 + ".pe_dma", "dma_write", 99 * ns, 100 * ns, 4}};
  const Timeline timeline(log, {"", {}, 10});
  BOOST_TEST(cells(timeline, "dma_read") == "##+       ");
  BOOST_TEST(cells(timeline, "gemm") == "   .:+#   ");
  BOOST_TEST(cells(timeline, "dma_write") == "         .");
  BOOST_TEST(timeline.report.cells().csv().find("sip0.cube0.pe0.pe_dma,dma_read,20,30,5\n") !=
             std::string::npos);
  const Timeline part(log, {"", {{20 * ns, 60 * ns}}, 10});
  BOOST_TEST(cells(part, "dma_read") == "#:        ");
}

// Receives of two streams, 0 to 60 and 40 to 90 ns: busy for 90 of 100.
BOOST_AUTO_TEST_CASE(overlapping_operations_of_a_row_count_once) {
  HandMadeLog log;
  log.ops = {{pe0 + ".pe_ipcq", "ipcq_recv", 0, 60 * ns, 1, -1, 0, 0},
             {pe0 + ".pe_ipcq", "ipcq_recv", 40 * ns, 90 * ns, 2, -1, 0, 1},
             {pe0 + ".pe_dma", "dma_read", 0, 100 * ns, 3}};
  const Timeline timeline(log, {"", {}, 10});
  BOOST_TEST(cells(timeline, "ipcq_recv") == "######### ");
  BOOST_TEST(timeline.report.text().find("ipcq_recv   90.0 % |") != std::string::npos,
             timeline.report.text());
}

BOOST_AUTO_TEST_CASE(engines_are_chosen_by_glob_or_those_of_the_busiest_pe) {
  HandMadeLog log;
  log.ops = {{pe0 + ".pe_dma", "dma_read", 0, 10, 1},
             {pe1 + ".pe_dma", "dma_read", 0, 10, 1},
             {pe1 + ".pe_gemm", "gemm_f16", 10, 20, 2}};
  BOOST_TEST(Timeline(log, {"", {}, 10}).report.rows().size() == 2U);
  BOOST_TEST(Timeline(log, {"", {}, 10}).report.busiest_pe() == pe1);
  BOOST_TEST(Timeline(log, {"*.pe_dma", {}, 10}).report.rows().size() == 2U);
  BOOST_TEST(Timeline(log, {pe1, {}, 10}).report.rows().size() == 2U);  // a scope: all in it
  BOOST_CHECK_EXCEPTION(
      Timeline(log, {"sip0.cube0.pe0.pe_dmb", {}, 10}), UsageError, [](const UsageError& error) {
        return std::string(error.what())
                   .find("has such a name; did you mean 'sip0.cube0.pe0.pe_dma'?") !=
               std::string::npos;
      });
}

// The kernel runs from 0 to 100 and waits from 20 to 60.
BOOST_AUTO_TEST_CASE(a_kernel_runs_where_it_does_not_wait) {
  HandMadeLog log;
  log.launch("k", 0, 110, {pe0}, 0, 100);
  log.awaited_command(pe0, 1, 20, 20, 60);
  log.ops = {{pe0 + ".pe_dma", "dma_read", 20, 60, 1}};
  const Timeline timeline(log, {"", {}, 10});
  BOOST_TEST(cells(timeline, "kernel") == "##    ####");
  BOOST_TEST(cells(timeline, "dma_read") == "  ####    ");
}

// A window of fewer femtoseconds than columns.
BOOST_AUTO_TEST_CASE(a_column_may_be_shorter_than_a_femtosecond) {
  HandMadeLog log;
  log.ops = {{pe0 + ".pe_dma", "dma_read", 5, 8, 1}};
  const Timeline timeline(log, {"", {}, 10});
  Fs sum = 0;
  const Table cells = timeline.report.cells();
  for (const Table::Row& row : cells.rows()) sum += std::get<TimeCell>(row[4]).time;
  BOOST_TEST(sum == 3U);
  BOOST_TEST(!timeline.report.text().empty());
}

BOOST_AUTO_TEST_CASE(a_log_without_operations_and_a_window_without_events_are_refused) {
  const auto fault_of = [](const HandMadeLog& log, const TimelineOptions& options) -> std::string {
    try {
      const Timeline timeline(log, options);
    } catch (const UsageError& error) {
      const std::string what = error.what();
      return what.substr(0, what.find('\'')) + what.substr(what.rfind('\'') + 1);  // no path
    }
    return "";
  };
  HandMadeLog log;
  BOOST_TEST(fault_of(log, {"", {}, 10}) == " has no operations, which --timeline needs");
  BOOST_TEST(fault_of(log, {"*", {}, 10}) == " has no operations, which --timeline needs");
  log.ops = {{pe0 + ".pe_dma", "dma_read", 5 * ns, 8 * ns, 1}};
  BOOST_TEST(fault_of(log, {"", {{8 * ns, 9 * ns}}, 10}) ==
             "--window 8:9 has nothing of , which goes from 5 to 8 ns");
  BOOST_TEST(fault_of(log, {"", {{0, 5 * ns}}, 10}) ==
             "--window 0:5 has nothing of , which goes from 5 to 8 ns");
  BOOST_TEST(fault_of(log, {"", {{7 * ns, 9 * ns}}, 10}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
