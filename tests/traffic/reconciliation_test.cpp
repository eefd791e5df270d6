// Totals of the statistics reconcile (spec 11.3): what is sent is received, parts add up to their
// totals, busy and idle time to the time of the run.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <map>

#include "platform/observe/run_statistics.h"
#include "platform/observe/statistics_regions.h"
#include "platform/observe/waiting_times.h"
#include "platform/output/json_text.h"
#include "platform/traffic/traffic_generator.h"
#include "tests/support/forked.h"
#include "tests/support/observed_transfers.h"
#include "tests/traffic/random_recipe.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using Json = nlohmann::ordered_json;

BOOST_AUTO_TEST_SUITE(reconciliation)

namespace {

std::uint64_t sum_of(const Json& list, const std::string& key, const std::string& where,
                     const std::string& is, const std::string& op = "") {
  std::uint64_t sum = 0;
  for (const Json& entry : list) {
    if (entry.at(where) == is && (op.empty() || entry.at("op") == op))
      sum += entry.at(key).get<std::uint64_t>();
  }
  return sum;
}

void check_bytes(const Json& stats, const std::vector<TrafficResult>& results) {
  std::map<std::string, std::uint64_t> asked;
  for (const TrafficResult& result : results)
    asked[result.request.write ? "write" : "read"] += result.request.bytes;
  for (const std::string op : {"read", "write"})
    BOOST_TEST(sum_of(stats.at("transfers"), "bytes", "op", op) == asked[op]);
  for (const std::string memory : {"hbm_ctrl", "sram"}) {
    const Json& totals = stats.at("totals").at(memory);
    BOOST_TEST(sum_of(stats.at("transfers"), "bytes", "target", memory, "read") ==
               totals.at("bytes_read").get<std::uint64_t>());
    BOOST_TEST(sum_of(stats.at("transfers"), "bytes", "target", memory, "write") ==
               totals.at("bytes_written").get<std::uint64_t>());
  }
  BOOST_TEST(sum_of(stats.at("links"), "bytes", "kind", "router_to_hbm") ==
             stats.at("totals").at("hbm_ctrl").at("bytes_read").get<std::uint64_t>() +
                 stats.at("totals").at("hbm_ctrl").at("bytes_written").get<std::uint64_t>());
}

// What comes to a node that only forwards leaves it.
void check_forwarding(const Json& links, const Graph& graph) {
  std::map<std::string, std::int64_t> kept;
  for (const Json& link : links) {
    kept[link.at("dst")] += link.at("bytes").get<std::int64_t>();
    kept[link.at("src")] -= link.at("bytes").get<std::int64_t>();
  }
  int nodes = 0;
  for (const auto& [name, bytes] : kept) {
    if (role_table[static_cast<std::size_t>(graph.node(graph.at(name)).kind)].declared !=
        Role::router)
      continue;
    ++nodes;
    BOOST_TEST(bytes == 0, name);
  }
  BOOST_TEST(nodes > 30);
}

void check_latencies(const Json& transfers) {
  for (const Json& entry : transfers) {
    double parts = 0;
    for (const Json& part : entry.at("parts")) parts += to_double(part);
    const Json& latency = entry.at("latency");
    BOOST_TEST(std::abs(parts - to_double(latency.at("total_ns"))) < 1e-6, entry.dump());
    BOOST_TEST(latency.at("count") == entry.at("transfers"));
    std::uint64_t in_buckets = 0;
    for (const Json& bucket : latency.at("buckets"))
      in_buckets += bucket.at(1).get<std::uint64_t>();
    BOOST_TEST(latency.at("count") == in_buckets);
    double last = 0;
    for (const char* key : {"min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"}) {
      BOOST_TEST(last <= to_double(latency.at(key)), key);
      last = to_double(latency.at(key));
    }
  }
}

void check_busy(const Json& entry, double servers, double elapsed) {
  BOOST_TEST(std::abs(to_double(entry.at("busy_ns")) + to_double(entry.at("idle_ns")) -
                      servers * elapsed) < 1e-6,
             entry.dump());
  BOOST_TEST(entry.at("utilisation").get<double>() <= 1.0);
}

void check_times(const Json& stats) {
  const double elapsed = to_double(stats.at("elapsed_ns"));
  for (const Json& link : stats.at("links")) {
    check_busy(link, 1, elapsed);
    const Json& waiting = link.at("waiting");
    BOOST_TEST(link.at("flits") == (waiting.is_null() ? Json(0) : waiting.at("count")));
  }
  for (const Json& channel : stats.at("hbm_channels")) check_busy(channel, 1, elapsed);
  for (const Json& component : stats.at("components")) {
    if (component.contains("busy"))
      for (const Json& busy : component.at("busy"))
        check_busy(busy, busy.at("servers").get<double>(), elapsed);
    const Json& counted = component.at("stats");
    if (!counted.contains("waiting_ns") || !component.contains("waiting")) continue;
    const Json& flits = component.at("waiting").at("flits");
    BOOST_TEST((flits.at("total_ns") == counted.at("waiting_ns")), component.at("name"));
    BOOST_TEST((flits.at("max_ns") == counted.at("longest_wait_ns")), component.at("name"));
    BOOST_TEST(flits.at("count") == counted.at("flits"));
    BOOST_TEST((flits.at("queue_high_water") > 0) == (to_double(flits.at("max_ns")) > 0));
  }
}

// Every number has a declaration with a description.
void check_declarations(const Json& stats) {
  for (const Json& component : stats.at("components")) {
    const Json& declared = stats.at("statistics").at(component.at("kind").get<std::string>());
    for (const auto& [key, value] : component.at("stats").items()) {
      const auto found =
          std::find_if(declared.begin(), declared.end(),
                       [&key = key](const Json& each) { return each.at("key") == key; });
      BOOST_TEST_REQUIRE((found != declared.end()), key);
      BOOST_TEST(found->at("description") != "");
    }
  }
}

void check_all(const TrafficRecipe& recipe, const std::vector<Override>& overrides) {
  TrafficMachine m("topology.tiny.yaml", overrides);
  TrafficGenerator generator(recipe, *m.platform);
  const ObservedTransfers transfers(*m.platform);
  const WaitingTimes waiting(*m.platform);
  const StatisticsRegions regions(*m.platform);
  const std::vector<TrafficResult> results = m.play(generator);
  const RunStatistics statistics(*m.platform, ActivityWindows(), Component::now());
  const Json stats = statistics.json(regions.json(), waiting, transfers.sums.statistics_json());
  check_bytes(stats, results);
  check_forwarding(stats.at("links"), m.platform->graph());
  check_latencies(stats.at("transfers"));
  check_times(stats);
  check_declarations(stats);
}

}  // namespace

RC_BOOST_PROP(totals_of_random_traffic_reconcile, ()) {
  const TrafficRecipe recipe = random_recipe(10);
  const std::vector<Override> overrides{
      {"cube.components.hbm_ctrl.attrs.switch_penalty_ns",
       *rc::gen::element<std::string>("0", "7")},
      {"cube.components.router.attrs",
       *rc::gen::element<std::string>(
           "{overhead_ns: 2}", "{overhead_ns: 30}", "{overhead_ns: 30, servers: direction}",
           "{overhead_ns: 0, latency_ns: 5, occupancy_ns: 7, flit_occupancy_ns: 1.5}",
           "{overhead_ns: 0, latency_ns: 9, occupancy_ns: 3, servers: port}")},
      {"cube.pe_template.components.pe_dma.attrs.rd_engines",
       *rc::gen::element<std::string>("1", "2")}};
  forked_value([&] {
    check_all(recipe, overrides);
    return 0;
  });
}

BOOST_AUTO_TEST_SUITE_END()
