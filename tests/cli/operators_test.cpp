// --operators (docs/models.md): benches by hand, and the same of a run and of its log.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(operators)

namespace {

Json row_of(const Json& report, const std::string& name) {
  for (const Json& row : report.at("operators")) {
    if (row.at("operator") == name) return row;
  }
  BOOST_FAIL("no operator " << name << " in " << report);
  return {};
}

void check_sums(const Json& report) {
  double shares = 0;
  std::uint64_t flops = 0, hbm = 0;
  for (const Json& row : report.at("operators")) {
    shares += row.at("share").get<double>();
    if (row.at("operator") == "no launch") continue;
    flops += row.at("flops").get<std::uint64_t>();
    hbm += row.at("hbm_bytes").get<std::uint64_t>();
  }
  BOOST_TEST(std::abs(shares - 1) < 1e-9);
  BOOST_TEST(report.at("flops") == flops);
  BOOST_TEST(report.at("hbm_bytes") == hbm);
  const double communication = report.at("communication_ns"), exposed = report.at("exposed_ns"),
               hidden = report.at("hidden_ns");
  BOOST_TEST(std::abs(exposed + hidden - communication) < 1e-6);
}

}  // namespace

// 2 * 96 * 128 * 96 FLOPs. A and B are read and C is written at least once, f16. The tiny machine
// has 8 PEs of 4096 multiply-accumulates per ns and 8 partitions of 256 GB/s.
BOOST_AUTO_TEST_CASE(a_product_has_the_flops_of_its_sizes) {
  const TemporaryFolder folder;
  const std::string log = folder.file("log.sqlite");
  const Json report =
      json_of(bench_on_tiny("matmul-composite", {"--param", "M=96", "--param", "K=128", "--param",
                                                 "N=96", "--operators", "--op-log", log, "--json"}))
          .at("operators");
  check_sums(report);
  const double flops = 2.0 * 96 * 128 * 96, window = report.at("window_ns");
  const Json matmul = row_of(report, "matmul");
  BOOST_TEST(matmul.at("flops") == flops);
  BOOST_TEST(matmul.at("remote_bytes") == 0);
  BOOST_TEST(matmul.at("exposed_ns").is_null());
  BOOST_TEST(matmul.at("hbm_bytes") >= 2 * (96 * 128 + 128 * 96 + 96 * 96));
  BOOST_TEST(std::abs(report.at("mfu").get<double>() - flops / 2 / (window * 8 * 4096)) < 1e-12);
  BOOST_TEST(std::abs(report.at("hbm_utilisation").get<double>() -
                      report.at("hbm_bytes").get<double>() / (window * 8 * 256)) < 1e-12);
  BOOST_TEST(report.at("tokens").is_null());
  BOOST_TEST(json_of({"inspect", log, "--operators", "--json"}).at("operators") == report);
}

// Each of the 8 PEs has a column part of all three products: 2 * 32 * 64 * 3 * 32 FLOPs together.
BOOST_AUTO_TEST_CASE(a_launch_on_several_pes_has_the_work_of_all) {
  const Json report =
      json_of(bench_on_tiny("qkv-gemm-multi-pe", {"--operators", "--json"})).at("operators");
  check_sums(report);
  BOOST_TEST(report.at("flops") == 2 * 32 * 64 * 3 * 32);
}

// All time of a collective alone is exposed.
BOOST_AUTO_TEST_CASE(collectives_without_compute_are_exposed) {
  const Json report = json_of(joined({"run", "--bench", "ccl-allreduce", "--param", "n_elem=64",
                                      "--operators", "--json"},
                                     six_small_sips))
                          .at("operators");
  check_sums(report);
  BOOST_TEST(report.at("sips") == 6);
  BOOST_TEST(report.at("hidden_ns") == 0);
  const Json reduce = row_of(report, "all_reduce");
  BOOST_TEST(reduce.at("launches") == 6);
  BOOST_TEST(reduce.at("exposed_ns") == reduce.at("time_ns"));
  BOOST_TEST(reduce.at("remote_bytes").get<std::uint64_t>() > 0U);
  BOOST_TEST(reduce.at("flops") == 0);
}

// Six ranks: a product of 2 * 32 * 64 * 32 FLOPs while an all_reduce is in flight, which hides some
// of it; a second one is exposed. Rank 0 declares 32 tokens.
BOOST_AUTO_TEST_CASE(an_all_reduce_behind_a_product_is_hidden) {
  const TemporaryFolder folder;
  const std::string log = folder.file("log.sqlite");
  const Words run = joined(
      {"run", "--bench", "test-operators", "--operators", "--energy", "--op-log", log, "--json"},
      six_small_sips);
  const Json outputs = json_of(run, KERNBENCH_NOTES_PROGRAM), report = outputs.at("operators");
  check_sums(report);
  const Json mlp = row_of(report, "mlp"), reduce = row_of(report, "all_reduce");
  BOOST_TEST(mlp.at("flops") == 6 * 2 * 32 * 64 * 32);
  BOOST_TEST(mlp.at("hbm_bytes") == 6 * 2 * 32 * 64 * 2);
  BOOST_TEST(reduce.at("launches") == 12);
  const double hidden = reduce.at("hidden_ns"), exposed = reduce.at("exposed_ns");
  BOOST_TEST(hidden > 0);
  BOOST_TEST(hidden <= mlp.at("time_ns").get<double>() + 1e-6);
  BOOST_TEST(exposed > hidden);
  BOOST_TEST(report.at("tokens") == 32);
  BOOST_TEST(std::abs(report.at("tokens_per_s").get<double>() *
                          report.at("window_ns").get<double>() * 1e-9 -
                      32) < 1e-9);
  BOOST_TEST(report.at("pj_per_token").get<double>() ==
             outputs.at("energy").at("energy_pj").get<double>() / 32);
  const Json played = json_of({"inspect", log, "--operators", "--json"}).at("operators");
  BOOST_TEST(played == report, played << '\n' << report);
  const ProgramResult csv = completed({"inspect", log, "--operators", "--csv"});
  BOOST_TEST(csv.out.rfind("operator,launches,time_ns,share,flops,hbm_bytes,remote_bytes,bound,"
                           "of_roof,exposed_ns,hidden_ns\n",
                           0) == 0U,
             csv.out);
  check_run({"inspect", log, "--operators"}, {0, {"MFU", "exposed", "mlp", "per token"}, {}});
}

BOOST_AUTO_TEST_SUITE_END()
