// Operations by name, engines, stages and their histogram.
#include <boost/test/unit_test.hpp>

#include "platform/report/operation_statistics.h"
#include "tests/report/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(statistics_test)

namespace {

const std::string pe0 = "sip0.cube0.pe0", pe1 = "sip0.cube0.pe1";
constexpr Fs ns = fs_per_ns;

}  // namespace

BOOST_AUTO_TEST_CASE(operations_are_grouped_by_engine_and_name) {
  HandMadeLog log;
  log.ops = {{pe0 + ".pe_dma", "dma_read", 0, 4 * ns, 1, -1, 64},
             {pe1 + ".pe_dma", "dma_read", 0, 10 * ns, 1, -1, 128},
             {pe0 + ".pe_dma", "tile/DMA_READ", 4 * ns, 6 * ns, 2, 0, 32},
             {pe0 + ".pe_gemm", "tile/GEMM", 6 * ns, 7 * ns, 2, 0},
             {pe0 + ".pe_scheduler", "composite_gemm", 4 * ns, 20 * ns, 2}};
  const Played<OperationStatistics> played(log.write());
  const OperationStatistics& statistics = played.report;
  BOOST_TEST(statistics.operations() == 5U);
  const std::vector<const OperationGroup*> groups = statistics.groups();
  BOOST_TEST_REQUIRE(groups.size() == 4U);
  BOOST_TEST(groups[0]->name == "composite_gemm");
  const OperationGroup& reads = *groups[1];
  BOOST_TEST(reads.name == "dma_read");
  BOOST_TEST(reads.total == 14 * ns);
  BOOST_TEST(reads.bytes == 192U);
  BOOST_TEST(reads.longest_id == 2U);
  BOOST_TEST(reads.longest_node == pe1 + ".pe_dma");
  // The composite makes no engine busy: reads of both names, 16 ns on two nodes, and the GEMM.
  const std::vector<const EnginePart*> engines = statistics.engines();
  BOOST_TEST_REQUIRE(engines.size() == 2U);
  BOOST_TEST(engines[0]->part == "dma_read");
  BOOST_TEST(engines[0]->total() == 16 * ns);
  BOOST_TEST(engines[0]->busiest().first == pe1 + ".pe_dma");
  BOOST_TEST(engines[1]->total() == 1 * ns);
  BOOST_TEST(
      statistics.operations_table().csv().find(
          "engine,operation,count,total_ns,mean_ns,min_ns,median_ns,max_ns,bytes,gbs,longest_op,"
          "longest_node,longest_start_ns\n"
          "pe_dma,dma_read,2,14,7,4,4,10,192,13.714286,2,sip0.cube0.pe1.pe_dma,0\n") == 0U);
}

BOOST_AUTO_TEST_CASE(percentiles_are_of_the_nearest_rank) {
  OperationGroup group;
  for (Fs i = 1; i <= 10; ++i) ++group.durations[i];
  group.count = 10;
  BOOST_TEST(group.percentile(0.5) == 5U);
  BOOST_TEST(group.percentile(0.9) == 9U);
  BOOST_TEST(group.percentile(0.99) == 10U);
  BOOST_TEST(group.percentile(0) == 1U);
}

BOOST_AUTO_TEST_CASE(bins_double_from_a_nanosecond_on) {
  HandMadeLog log;
  Fs at = 0;
  for (const Fs time : {Fs{0}, ns - 1, ns, 2 * ns - 1, 8 * ns}) {
    log.ops.push_back({pe0 + ".pe_gemm", "tile/GEMM", at, at + time, 1, 0});
    at += time;
  }
  const Played<OperationStatistics> played(log.write());
  const OperationStatistics& statistics = played.report;
  BOOST_TEST(statistics.histogram_table().csv() ==
             "engine,operation,from_ns,to_ns,count\n"
             "pe_gemm,tile/GEMM,0,1,2\n"
             "pe_gemm,tile/GEMM,1,2,2\n"
             "pe_gemm,tile/GEMM,2,4,0\n"
             "pe_gemm,tile/GEMM,4,8,0\n"
             "pe_gemm,tile/GEMM,8,16,1\n");
}

BOOST_AUTO_TEST_CASE(stages_stand_in_the_order_of_a_tiles_way) {
  HandMadeLog log;
  log.ops = {{pe0 + ".pe_dma", "tile/DMA_WRITE", 0, 5 * ns, 1, 0},
             {pe0 + ".pe_gemm", "tile/GEMM", 0, 9 * ns, 1, 0},
             {pe0 + ".pe_fetch_store", "tile/FETCH", 0, 1 * ns, 1, 0},
             {pe0 + ".pe_dma", "tile/DMA_READ", 0, 2 * ns, 1, 0}};
  const Played<OperationStatistics> played(log.write());
  const Table table = played.report.stages_table();
  std::vector<std::string> names;
  for (const Table::Row& row : table.rows()) names.push_back(std::get<std::string>(row[1]));
  BOOST_TEST(names == (std::vector<std::string>{"tile/DMA_READ", "tile/FETCH", "tile/GEMM",
                                                "tile/DMA_WRITE"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_log_without_operations_has_empty_tables) {
  const HandMadeLog log;
  const Played<OperationStatistics> played(log.write());
  const OperationStatistics& statistics = played.report;
  BOOST_TEST(statistics.operations() == 0U);
  BOOST_TEST(statistics.histogram_table().empty());
}

BOOST_AUTO_TEST_SUITE_END()
