// The benches ccl-allreduce and collectives: right on every arrangement of SIPs, and what they
// report (spec 10.3).
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(collective_benches)

namespace {

// The columns of the table of collectives.
enum Column : std::size_t {
  op,
  ranks,
  algorithm,
  reduction,
  dtype,
  bytes,
  time_ns,
  algorithm_gbs,
  bus_gbs
};
using Row = std::vector<ResultTable::Cell>;

std::string text(const Row& row, Column column) { return std::get<std::string>(row.at(column)); }
double number(const Row& row, Column column) { return std::get<double>(row.at(column)); }
std::int64_t count(const Row& row, Column column) { return std::get<std::int64_t>(row.at(column)); }

// Of the calls; the bench `collectives` has tables of its own behind it.
std::vector<Row> rows_of(const BenchOutcome& outcome) {
  BOOST_TEST(outcome.status == "completed", outcome.error);
  BOOST_TEST(outcome.failures == "");
  BOOST_REQUIRE(!outcome.results.empty());
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

// 96 cubes, as they ship; the sweep milestone-ccl has all topologies and sizes. Most of the time of
// this test is the end of the modules: SystemC looks for each port in a list of all of them.
BOOST_AUTO_TEST_CASE(all_reduce_is_right_on_six_sips_of_16_cubes) {
  BenchRunOptions options;
  options.topology = "topology.six_sip.yaml";
  expect_right("ccl-allreduce", {{"buffer_kind", "hbm"}, {"n_elem", "2049"}}, 96 * 2049, options,
               std::chrono::seconds(240));
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
  // (1 + 2) / 2 without what follows the point.
  expect_right("ccl-allreduce", {{"dtype", "i32"}, {"op", "avg"}, {"n_elem", "5"}}, 5 * 2,
               sips("ring_1d", 2, 1));
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

// Spec 7: outside a worker the rank is 0, with a warning, which is printed once.
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

// The columns of the tables in the form of nccl-tests; in-place ones follow in the same order.
enum Figure : std::size_t { size_bytes, elements, type, redop, root, time_us, algbw, busbw, wrong };
constexpr std::size_t in_place = wrong - root;

struct Expected {
  const char* op;
  double factor;
  bool in_parts, has_root, reduces, has_in_place;
};
const std::vector<Expected> all_ops{{"all_reduce", 10.0 / 6, false, false, true, true},
                                    {"broadcast", 1, false, true, false, true},
                                    {"reduce", 1, false, true, true, true},
                                    {"all_gather", 5.0 / 6, true, false, false, true},
                                    {"reduce_scatter", 5.0 / 6, true, false, true, true},
                                    {"all_to_all", 5.0 / 6, true, false, false, false},
                                    {"gather", 5.0 / 6, true, true, false, true},
                                    {"scatter", 5.0 / 6, true, true, false, true},
                                    {"send_recv", 1, false, false, false, false}};

std::int64_t wrong_in(const Row& row, std::size_t at) {
  return std::get<std::shared_ptr<const DeferredCounter>>(row.at(at))->value().value_or(-1);
}

// One form of one size.
void check_figures(const Row& row, std::size_t first, const Expected& expected) {
  const auto at = [&](Figure figure) { return std::get<double>(row.at(figure + first)); };
  BOOST_TEST(at(time_us) > 0);
  const auto nbytes = static_cast<double>(std::get<std::int64_t>(row.at(size_bytes)));
  BOOST_TEST(at(algbw) == nbytes / at(time_us) / 1000, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(at(busbw) == at(algbw) * expected.factor, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(wrong_in(row, wrong + first) == 0);
}

// Three sizes: 100 elements, 400 and 1000 of 2 bytes; what has a part for each rank has whole ones:
// 6 x 16, 66, 166.
void check_table(const ResultTable& table, const Expected& expected) {
  BOOST_TEST(table.name() == expected.op);
  BOOST_REQUIRE(table.rows().size() == 3u);
  const std::vector<std::int64_t> sizes = expected.in_parts
                                              ? std::vector<std::int64_t>{192, 792, 1992}
                                              : std::vector<std::int64_t>{200, 800, 2000};
  double sum = 0;
  int figures = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Row& row = table.rows()[i];
    BOOST_TEST_CONTEXT(expected.op << ", " << sizes[i]) {
      BOOST_TEST(std::get<std::int64_t>(row.at(size_bytes)) == sizes[i]);
      BOOST_TEST(std::get<std::int64_t>(row.at(elements)) ==
                 sizes[i] / 2 / (expected.in_parts ? 6 : 1));
      BOOST_TEST(std::get<std::string>(row.at(type)) == "f16");
      BOOST_TEST(std::get<std::string>(row.at(redop)) == (expected.reduces ? "sum" : "none"));
      BOOST_TEST(std::get<std::int64_t>(row.at(root)) == (expected.has_root ? 0 : -1));
      check_figures(row, 0, expected);
      sum += std::get<double>(row.at(busbw)), ++figures;
      if (expected.has_in_place) {
        check_figures(row, in_place, expected);
        sum += std::get<double>(row.at(busbw + in_place)), ++figures;
      } else {
        BOOST_TEST(std::holds_alternative<std::monostate>(row.at(time_us + in_place)));
        BOOST_TEST(wrong_in(row, wrong + in_place) == -1);
      }
    }
  }
  BOOST_TEST(std::get<double>(table.summaries().at(1).value) == sum / figures,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(every_collective_has_a_table_in_the_form_of_nccl_tests) {
  for (const std::string& topology : topologies) {
    forked([&] {
      const BenchOutcome outcome = run_bench(
          "collectives", {{"min_bytes", "201"}, {"max_bytes", "2000"}}, six_sips(topology, 1, 1));
      // 7 ops in two forms, all_to_all in one, and 6 messages, of three sizes; and a first shift.
      BOOST_TEST(rows_of(outcome).size() == 3u * (7 * 2 + 1 + 6) + 6);
      BOOST_REQUIRE(outcome.results.size() == 10u);
      for (std::size_t i = 0; i < all_ops.size(); ++i)
        check_table(outcome.results[i + 1], all_ops[i]);
    });
  }
}

// The messages of two ranks need ring buffers of their own, which are installed while others wait.
BOOST_AUTO_TEST_CASE(one_collective_can_be_chosen) {
  for (const std::string which : {"send_recv", "all_to_all"}) {
    forked([&] {
      const BenchOutcome outcome =
          run_bench("collectives", {{"op", which}, {"dtype", "i32"}, {"max_bytes", "5000"}},
                    sips("ring_1d", 4, 1));
      rows_of(outcome);
      BOOST_REQUIRE(outcome.results.size() == 2u);
      BOOST_TEST(outcome.results[1].name() == which);
      BOOST_REQUIRE(outcome.results[1].rows().size() == 3u);
      BOOST_TEST(std::get<std::int64_t>(outcome.results[1].rows()[2].at(size_bytes)) ==
                 (which == "send_recv" ? 5000 : 4992));  // 4 parts of 312 elements
    });
  }
}

// Messages longer than the rings, round any number of ranks; each of them is one call of two.
BOOST_AUTO_TEST_CASE(send_recv_shifts_round_the_ring) {
  for (const int ranks : {2, 3, 4, 5}) {
    forked([&] {
      const std::vector<Row> rows = rows_of(run_bench(
          "collectives", {{"op", "send_recv"}, {"min_bytes", "40000"}, {"max_bytes", "40000"}},
          sips("ring_1d", ranks, 1)));
      BOOST_TEST(rows.size() == static_cast<std::size_t>(ranks == 2 ? 2 : 2 * ranks));
    });
  }
}

BOOST_AUTO_TEST_CASE(every_reduction_root_and_step_can_be_chosen) {
  for (const std::string by : {"sum", "max", "min", "prod", "avg"}) {
    forked([&] {
      const BenchOutcome outcome = run_bench("collectives",
                                             {{"redop", by},
                                              {"root", "2"},
                                              {"step_factor", "2"},
                                              {"dtype", by == "avg" ? "i32" : "bf16"},
                                              {"min_bytes", "512"},
                                              {"max_bytes", "2048"}},
                                             sips("ring_1d", 3, 1));
      rows_of(outcome);
      for (const ResultTable& table : outcome.results) {
        if (table.name() == "collectives") continue;
        const auto of = std::find_if(all_ops.begin(), all_ops.end(),
                                     [&](const Expected& op) { return op.op == table.name(); });
        BOOST_REQUIRE((of != all_ops.end()));
        BOOST_REQUIRE(table.rows().size() == 3u);
        const Row& row = table.rows()[0];
        BOOST_TEST(std::get<std::int64_t>(row.at(root)) == (of->has_root ? 2 : -1));
        BOOST_TEST(std::get<std::string>(row.at(redop)) == (of->reduces ? by : "none"));
      }
    });
  }
  BOOST_TEST(contains(failure_of("collectives", {{"root", "3"}}, sips("ring_1d", 3, 1)),
                      "usage: bench 'collectives': root 3, but there are ranks 0 to 2"));
  BOOST_TEST(contains(failure_of("collectives", {{"min_bytes", "4096"}, {"max_bytes", "1024"}}),
                      "usage: bench 'collectives': min_bytes 4096 is more than max_bytes 1024"));
}

// What phase 2 finds wrong is counted in the row that it belongs to, and in the sum.
KERNBENCH_SYSTEMC_TEST(wrong_elements_are_counted) {
  const Bench bench{"counting", "expects something else", {}, +[](Torch& torch) {
                      const auto all = std::make_shared<DeferredCounter>();
                      const auto row = std::make_shared<DeferredCounter>(all);
                      ResultTable& table = torch.results("counts", {"wrong"});
                      table.add({row});
                      table.add_summary({"all", "all", all});
                      const Tensor t = torch.full({8}, 1, f16, DPPolicy::on_one_pe(), "t");
                      torch.launch(
                          "nothing", [](tl::Program&, tl::Tensor) {}, t);
                      torch.verify(
                          t, [] { return std::vector<double>{1, 1, 2, 1, 1, 3, 1, 1}; }, 1, row);
                    }};
  const BenchOutcome outcome = run_bench(bench, {});
  BOOST_REQUIRE(outcome.results.size() == 1u);
  BOOST_TEST(wrong_in(outcome.results[0].rows().at(0), 0) == 2);
  BOOST_TEST(
      std::get<std::shared_ptr<const DeferredCounter>>(outcome.results[0].summaries().at(0).value)
          ->value()
          .value() == 2);
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
      BOOST_TEST(rows_of(outcome).size() == 2u);  // out of place and in place
      BOOST_TEST(count(outcome.results[0].rows()[0], ranks) == 60);
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
