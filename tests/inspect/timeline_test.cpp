// The timeline in text: how busy each engine was in each interval.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/inspect/engine_timeline.h"
#include "tests/inspect/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(timeline_test)

namespace {

const std::string pe0 = "sip0.cube0.pe0", pe1 = "sip0.cube0.pe1";
constexpr Fs ns = fs_per_ns;

// Cells of a row, by part.
std::string cells(const EngineTimeline& timeline, const std::string& part) {
  const Table rows = timeline_rows(timeline);
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
  const OpLogReader reader(log.write());
  const EngineTimeline timeline = engine_timeline(reader, {"", {}, 10});
  BOOST_TEST(cells(timeline, "dma_read") == "##+       ");
  BOOST_TEST(cells(timeline, "gemm") == "   .:+#   ");
  BOOST_TEST(cells(timeline, "dma_write") == "         .");
  BOOST_TEST(timeline_cells(timeline).csv().find("sip0.cube0.pe0.pe_dma,dma_read,20,30,5\n") !=
             std::string::npos);
  const EngineTimeline part = engine_timeline(reader, {"", {{20 * ns, 60 * ns}}, 10});
  BOOST_TEST(cells(part, "dma_read") == "#:        ");
}

BOOST_AUTO_TEST_CASE(engines_are_chosen_by_glob_or_those_of_the_busiest_pe) {
  HandMadeLog log;
  log.ops = {{pe0 + ".pe_dma", "dma_read", 0, 10, 1},
             {pe1 + ".pe_dma", "dma_read", 0, 10, 1},
             {pe1 + ".pe_gemm", "gemm_f16", 10, 20, 2}};
  const OpLogReader reader(log.write());
  BOOST_TEST(engine_timeline(reader, {"", {}, 10}).rows.size() == 2U);
  BOOST_TEST(engine_timeline(reader, {"", {}, 10}).pe == pe1);
  BOOST_TEST(engine_timeline(reader, {"*.pe_dma", {}, 10}).rows.size() == 2U);
  BOOST_TEST(engine_timeline(reader, {pe1, {}, 10}).rows.size() == 2U);  // a scope: all in it
  BOOST_CHECK_EXCEPTION(
      engine_timeline(reader, {"sip0.cube0.pe0.pe_dmb", {}, 10}), UsageError,
      [](const UsageError& error) {
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
  const OpLogReader reader(log.write());
  const EngineTimeline timeline = engine_timeline(reader, {"", {}, 10});
  BOOST_TEST(cells(timeline, "kernel") == "##    ####");
  BOOST_TEST(cells(timeline, "dma_read") == "  ####    ");
}

// A window of fewer femtoseconds than columns.
BOOST_AUTO_TEST_CASE(a_column_may_be_shorter_than_a_femtosecond) {
  HandMadeLog log;
  log.ops = {{pe0 + ".pe_dma", "dma_read", 5, 8, 1}};
  const OpLogReader reader(log.write());
  const EngineTimeline timeline = engine_timeline(reader, {"", {}, 10});
  Fs sum = 0;
  for (const Fs busy : timeline.rows.at(0).columns) sum += busy;
  BOOST_TEST(sum == 3U);
  BOOST_TEST(!timeline_text(timeline).empty());
}

BOOST_AUTO_TEST_CASE(without_operations_there_is_no_timeline) {
  const HandMadeLog log;
  const OpLogReader reader(log.write());
  BOOST_TEST(timeline_text(engine_timeline(reader, {"", {}, 10})) == "no operations\n");
}

BOOST_AUTO_TEST_SUITE_END()
