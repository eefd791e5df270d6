// The benches ccl-allreduce and collectives: right on every arrangement of SIPs, and what they
// report (spec 10.3).
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

// The columns of the table of collectives.
enum Column : std::size_t {
  op,
  algorithm,
  reduction,
  dtype,
  ranks,
  bytes,
  time_ns,
  algorithm_gbs,
  bus_gbs
};
using Row = std::vector<ResultTable::Cell>;

std::string text(const Row& row, Column column) { return std::get<std::string>(row.at(column)); }
double number(const Row& row, Column column) { return std::get<double>(row.at(column)); }
std::int64_t count(const Row& row, Column column) { return std::get<std::int64_t>(row.at(column)); }

std::vector<Row> rows_of(const BenchOutcome& outcome) {
  BOOST_TEST(outcome.status == "completed", outcome.error);
  BOOST_TEST(outcome.failures == "");
  BOOST_REQUIRE(outcome.results.size() == 1u);
  BOOST_TEST(outcome.results[0].name() == "collectives");
  BOOST_TEST(outcome.results[0].columns().size() == 9u);
  return outcome.results[0].rows();
}

BenchRunOptions sips(const std::string& topology, int w, int h, int mesh_w = 1, int mesh_h = 1) {
  BenchRunOptions options;
  options.overrides = {
      {"system.sips.count", std::to_string(w * h)}, {"system.sips.topology", topology},
      {"system.sips.w", std::to_string(w)},         {"system.sips.h", std::to_string(h)},
      {"sip.cube_mesh.w", std::to_string(mesh_w)},  {"sip.cube_mesh.h", std::to_string(mesh_h)}};
  return options;
}

// Six SIPs in the three arrangements that there are.
BenchRunOptions six_sips(const std::string& topology, int mesh_w, int mesh_h) {
  return topology == "ring_1d" ? sips(topology, 6, 1, mesh_w, mesh_h)
                               : sips(topology, 3, 2, mesh_w, mesh_h);
}

const std::vector<std::string> topologies{"ring_1d", "torus_2d", "mesh_2d_no_wrap"};
const std::vector<std::string> buffer_kinds{"tcm", "sram", "hbm"};

}  // namespace

BOOST_AUTO_TEST_SUITE(collective_benches)

// --- ccl-allreduce

// A partial sum on each of 12 cubes; 3001 elements are two messages.
BOOST_AUTO_TEST_CASE(all_reduce_is_right_on_every_topology_over_rings_of_every_kind) {
  for (const std::string& topology : topologies) {
    for (const std::string& kind : buffer_kinds)
      expect_right("ccl-allreduce", {{"buffer_kind", kind}, {"n_elem", "3001"}}, 12 * 3001,
                   six_sips(topology, 2, 1));
    expect_right("ccl-allreduce", {}, 12 * 8, six_sips(topology, 2, 1));
  }
}

// 96 cubes, as they ship; tests/perf/ccl_sweep.sh has all topologies and sizes.
BOOST_AUTO_TEST_CASE(all_reduce_is_right_on_six_sips_of_16_cubes) {
  BenchRunOptions options;
  options.topology = "topology.six_sip.yaml";
  expect_right("ccl-allreduce", {{"buffer_kind", "hbm"}, {"n_elem", "2049"}}, 96 * 2049, options);
}

// The hierarchical one has a partial sum on each of the 8 PEs of a cube.
BOOST_AUTO_TEST_CASE(all_reduce_is_right_by_every_algorithm_for_every_element_and_reduction) {
  const auto check = [](const std::string& by, const std::string& element, const std::string& with,
                        std::uint64_t shards) {
    expect_right("ccl-allreduce",
                 {{"algorithm", by}, {"dtype", element}, {"op", with}, {"n_elem", "5"}}, 5 * shards,
                 sips("ring_1d", 3, 1, 2, 2));
  };
  check("lrab_hierarchical_allreduce", "f16", "sum", 12);
  check("lrab_hierarchical_allreduce", "i32", "avg", 12);
  check("hierarchical_allreduce", "bf16", "sum", 96);
  check("hierarchical_allreduce", "f32", "avg", 96);
  check("ring_allreduce", "f32", "max", 12);
  check("ring_allreduce", "bf16", "avg", 12);
  check("tree_allreduce", "i32", "sum", 12);
  check("tree_allreduce", "f16", "min", 12);
}

// 4 partial sums of 8 elements of 2 bytes are a tensor of 16 bytes. nccl-tests: bus bandwidth =
// algorithm bandwidth x 2 (n - 1) / n, for n = 3 x 4/3.
KERNBENCH_SYSTEMC_TEST(a_row_of_all_reduce_has_both_bandwidths) {
  const BenchOutcome outcome = run_bench("ccl-allreduce", {}, sips("ring_1d", 3, 1, 2, 2));
  const std::vector<Row> rows = rows_of(outcome);
  BOOST_REQUIRE(rows.size() == 1u);
  BOOST_TEST(text(rows[0], op) == "all_reduce");
  BOOST_TEST(text(rows[0], algorithm) == "lrab_hierarchical_allreduce");
  BOOST_TEST(text(rows[0], reduction) == "sum");
  BOOST_TEST(text(rows[0], dtype) == "f16");
  BOOST_TEST(count(rows[0], ranks) == 3);
  BOOST_TEST(count(rows[0], bytes) == 16);
  BOOST_TEST(number(rows[0], time_ns) == to_ns(outcome.longest_launch));
  BOOST_TEST(number(rows[0], algorithm_gbs) == 16 / to_ns(outcome.longest_launch),
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(number(rows[0], bus_gbs) == number(rows[0], algorithm_gbs) * 4 / 3,
             boost::test_tools::tolerance(1e-12));
}

// What parameters do not say, ccl.yaml does; an algorithm's own entry goes before its defaults.
BOOST_AUTO_TEST_CASE(all_reduce_does_as_ccl_says) {
  const auto row = [](const Parameters& parameters) {
    BenchRunOptions options = sips("ring_1d", 2, 1);
    options.ccl.algorithm = "ring_allreduce";
    options.ccl.defaults.set("n_elem", Rational(20));
    options.ccl.algorithms["tree_allreduce"].set("n_elem", Rational(30));
    return forked_value([&] {
      const Row row = rows_of(run_bench("ccl-allreduce", parameters, options)).at(0);
      return text(row, algorithm) + " " + std::to_string(count(row, bytes));
    });
  };
  BOOST_TEST(row({}) == "ring_allreduce 40");
  BOOST_TEST(row({{"n_elem", "3"}}) == "ring_allreduce 6");
  BOOST_TEST(row({{"algorithm", "tree_allreduce"}}) == "tree_allreduce 60");
}

KERNBENCH_SYSTEMC_TEST(all_reduce_of_one_rank_changes_nothing) {
  const std::vector<Row> rows = rows_of(run_bench("ccl-allreduce", {}));
  BOOST_TEST(count(rows.at(0), ranks) == 1);
}

// Spec 7: outside a worker the rank is 0, with a warning, which is told once.
KERNBENCH_SYSTEMC_TEST(warnings_of_the_host_program_are_reported) {
  const Bench bench{
      "alone", "asks for its rank outside a worker", {}, +[](Torch& torch) {
        torch.distributed.init_process_group("ahbm");
        for (int i = 0; i < 2; ++i) BOOST_TEST(torch.distributed.get_rank() == 0);
        torch.distributed.all_reduce(torch.full({8}, 1, f16, DPPolicy::on_one_pe(), "alone"));
      }};
  const BenchOutcome outcome = run_bench(bench, {});
  BOOST_TEST(outcome.status == "completed", outcome.error);
  BOOST_REQUIRE(outcome.warnings.size() == 1u);
  BOOST_TEST(contains(outcome.warnings[0], "outside a worker of torch.multiprocessing.spawn is 0"));
  BOOST_TEST(outcome.results.size() == 1u);  // of collectives, which a bench does nothing for
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  BenchRunOptions options = sips("ring_1d", 2, 1);
  options.ccl.defaults.set("world_size", Rational(3));
  BOOST_TEST(contains(failure_of("ccl-allreduce", {}, options),
                      "usage: world_size is 3, but this machine has 2 SIPs"));
  BOOST_TEST(contains(failure_of("collectives", {}, sips("mesh_2d_no_wrap", 3, 3)),
                      "a mesh of 3 x 3 SIPs without wrap"));
}

// --- collectives

// Nine ops of three sizes: 100 elements, 400 and 1000 of 2 bytes; what has a part for each rank has
// whole ones: 6 x 16, 66, 166.
BOOST_AUTO_TEST_CASE(every_collective_of_every_size_has_a_row) {
  for (const std::string& topology : topologies) {
    forked([&] {
      const std::vector<Row> rows = rows_of(run_bench(
          "collectives", {{"min_bytes", "201"}, {"max_bytes", "2000"}}, six_sips(topology, 1, 1)));
      BOOST_REQUIRE(rows.size() == 27u);
      const std::vector<std::pair<std::string, double>> ops{{"all_reduce", 10.0 / 6},
                                                            {"broadcast", 1},
                                                            {"reduce", 1},
                                                            {"all_gather", 5.0 / 6},
                                                            {"reduce_scatter", 5.0 / 6},
                                                            {"all_to_all", 5.0 / 6},
                                                            {"gather", 5.0 / 6},
                                                            {"scatter", 5.0 / 6},
                                                            {"send_recv", 1}};
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [name, factor] = ops[i / 3];
        const bool in_parts = name == "all_gather" || name == "reduce_scatter" ||
                              name == "all_to_all" || name == "gather" || name == "scatter";
        const std::vector<std::int64_t> sizes = in_parts
                                                    ? std::vector<std::int64_t>{192, 792, 1992}
                                                    : std::vector<std::int64_t>{200, 800, 2000};
        BOOST_TEST_CONTEXT(topology << ", " << name << ", " << sizes[i % 3]) {
          BOOST_TEST(text(rows[i], op) == name);
          BOOST_TEST(count(rows[i], bytes) == sizes[i % 3]);
          BOOST_TEST(number(rows[i], time_ns) > 0);
          BOOST_TEST(number(rows[i], bus_gbs) == number(rows[i], algorithm_gbs) * factor,
                     boost::test_tools::tolerance(1e-12));
        }
      }
    });
  }
}

// The first message of two ranks needs ring buffers of its own, which are installed while the
// others wait in a barrier.
BOOST_AUTO_TEST_CASE(one_collective_can_be_chosen) {
  for (const std::string which : {"send_recv", "all_to_all"}) {
    forked([&] {
      const BenchOutcome outcome =
          run_bench("collectives", {{"op", which}, {"dtype", "i32"}, {"max_bytes", "5000"}},
                    sips("ring_1d", 4, 1));
      const std::vector<Row> rows = rows_of(outcome);
      BOOST_REQUIRE(rows.size() == 3u);
      BOOST_TEST(text(rows[2], op) == which);
      BOOST_TEST(count(rows[2], bytes) ==
                 (which == "send_recv" ? 5000 : 4992));  // 4 parts of 312 elements
    });
  }
}

KERNBENCH_SYSTEMC_TEST(collectives_run_with_data_off_and_take_the_same_time) {
  const auto last = [](DataMode data) {
    return forked_value([data] {
      BenchRunOptions options = sips("torus_2d", 2, 2);
      options.data = data;
      return number(rows_of(run_bench("collectives", {{"max_bytes", "4096"}}, options)).back(),
                    time_ns);
    });
  };
  BOOST_TEST(last(DataMode::off) == last(DataMode::deferred));
}

// 60 ranks: sums of their numbers are more than a bf16 holds exactly; with all numbers small they
// are exact.
BOOST_AUTO_TEST_CASE(many_ranks_that_are_pes_are_verified_exactly) {
  BenchRunOptions options = sips("ring_1d", 2, 1, 2, 2);
  options.ccl.defaults.set("rank_unit", std::string("pe"));
  options.ccl.defaults.set("world_size", Rational(60));
  for (const std::string algorithm : {"lrab_hierarchical_allreduce", "hierarchical_allreduce",
                                      "ring_allreduce", "tree_allreduce"})
    expect_right("ccl-allreduce", {{"algorithm", algorithm}, {"dtype", "bf16"}}, 60 * 8, options);
  for (const std::string which : {"all_reduce", "broadcast", "reduce", "gather", "scatter"}) {
    forked([&] {
      const BenchOutcome outcome = run_bench(
          "collectives", {{"op", which}, {"dtype", "bf16"}, {"max_bytes", "1024"}}, options);
      BOOST_TEST(rows_of(outcome).size() == 1u);
      BOOST_TEST(count(outcome.results[0].rows()[0], ranks) == 60);
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
