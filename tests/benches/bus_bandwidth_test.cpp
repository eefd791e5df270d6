// Bus bandwidths (spec 7): whatever the collective, the algorithm and the ranks, no more than the
// sum of the links that a rank has.
#include "sw/collectives/algorithm_registry.h"
#include "tests/benches/verified_runs.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(bus_bandwidth)

namespace {

bool is_of(const std::string& rank, const std::string& node) { return node.rfind(rank, 0) == 0; }

// GB/s out of what belongs to a rank: "sip0.", or a PE, "sip0.cube0.pe0.".
double links_of(const std::string& rank, const BenchRunOptions& options) {
  return forked_value([&] {
    const WholeMachine m(options.topology, options.overrides);
    const Graph& graph = m.platform->graph();
    const auto name = [&](NodeId node) {
      return graph.nodes()[static_cast<std::size_t>(node)].name;
    };
    double sum = 0;
    for (const Edge& edge : graph.edges()) {
      const bool leaves = is_of(rank, name(edge.src)) && !is_of(rank, name(edge.dst));
      if (leaves && edge.bw_gbs) sum += edge.bw_gbs->to_double();  // others carry control alone
    }
    return sum;
  });
}

// The largest of all rows; every one of `bench` was carried out.
double largest_bus_gbs(const std::string& bench, const Parameters& parameters,
                       const BenchRunOptions& options) {
  return forked_value([&] {
    const BenchOutcome outcome = run_bench(bench, parameters, options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    const ResultTable& calls = outcome.results.at(0);
    double largest = 0;
    for (const auto& row : calls.rows()) largest = std::max(largest, std::get<double>(row.back()));
    return largest;
  });
}

BenchRunOptions machine(const std::string& topology, int w, int h, int mesh = 1) {
  BenchRunOptions options;
  options.data = DataMode::off;
  options.records = false;
  options.overrides = sips(topology, w, h, mesh, mesh);
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_algorithm_stays_below_the_links_of_a_sip) {
  const std::vector<BenchRunOptions> machines{machine("ring_1d", 2, 1), machine("ring_1d", 5, 1),
                                              machine("torus_2d", 3, 2),
                                              machine("mesh_2d_no_wrap", 2, 2)};
  for (BenchRunOptions options : machines) {
    const double links = links_of("sip0.", options);
    BOOST_TEST(links > 0);
    for (const std::string& algorithm : shipped_algorithms().names(CollectiveOp::all_reduce)) {
      if (algorithm == "hierarchical_allreduce") continue;  // below: it wants a shard on every PE
      options.ccl.algorithm = algorithm;
      const double bus = largest_bus_gbs(
          "collectives", {{"min_bytes", "2048"}, {"max_bytes", "262144"}, {"step_factor", "16"}},
          options);
      BOOST_TEST(bus > 0);
      BOOST_TEST(bus <= links, algorithm << ": " << bus << " of " << links << " GB/s");
    }
  }
}

// Shards that are combined within a SIP do not go over its links.
BOOST_AUTO_TEST_CASE(shards_on_many_pes_do_not_count_more_than_once) {
  const BenchRunOptions options = machine("ring_1d", 2, 1, 2);
  const double links = links_of("sip0.", options);
  for (const std::string& algorithm : shipped_algorithms().names(CollectiveOp::all_reduce)) {
    for (const char* elements : {"64", "16384"}) {
      const double bus = largest_bus_gbs("ccl-allreduce",
                                         {{"algorithm", algorithm}, {"n_elem", elements}}, options);
      BOOST_TEST(bus > 0);
      BOOST_TEST(bus <= links, algorithm << ": " << bus << " of " << links << " GB/s");
    }
  }
}

BOOST_AUTO_TEST_CASE(ranks_that_are_pes_stay_below_the_links_of_a_pe) {
  BenchRunOptions options = machine("ring_1d", 1, 1);
  options.ccl.defaults.set("rank_unit", std::string("pe"));
  const double links = links_of("sip0.cube0.pe0.", options);
  for (const char* algorithm : {"lrab_hierarchical_allreduce", "hierarchical_allreduce",
                                "ring_allreduce", "tree_allreduce"}) {
    options.ccl.algorithm = algorithm;
    const double bus = largest_bus_gbs(
        "collectives", {{"min_bytes", "1024"}, {"max_bytes", "65536"}, {"step_factor", "64"}},
        options);
    BOOST_TEST(bus > 0);
    BOOST_TEST(bus <= links, algorithm << ": " << bus << " of " << links << " GB/s");
  }
}

BOOST_AUTO_TEST_CASE(one_rank_has_none) {
  const BenchRunOptions options = machine("ring_1d", 1, 1);
  BOOST_TEST(largest_bus_gbs("collectives", {{"max_bytes", "4096"}}, options) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
