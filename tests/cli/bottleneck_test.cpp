// The times with twice as much of a resource that `run` tells (spec 11.3), against runs of machines
// that have it.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/cli/doubled_machine.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(bottleneck_test)

// Where the dependences of the operations alone make up the time, the gain is that of the
// simulation, to 5 %: a product with one read at a time, a walk along a list, a narrow TCM, a short
// array.
BOOST_AUTO_TEST_CASE(twice_as_much_gains_what_the_table_says) {
  struct Case {
    Run run;
    std::vector<std::string> resources;
  };
  Run narrow = gemm("128");
  narrow.settings = {{pe + "pe_tcm.attrs.read_bw_gbs", 64}};
  Run slow = gemm("128");
  slow.settings = {{pe + "pe_gemm.attrs.macs_per_cycle", 512}};
  const std::vector<Case> cases{
      {gemm("256"), {"pe_dma read_channel", "HBM", "PE links", "router"}},
      {narrow, {"pe_tcm read", "pe_dma read_channel"}},
      {slow, {"pe_gemm gemm", "HBM"}},
      {{"walk", {"run", "--bench", "gather-walk", "--param", "steps=8"}}, {"router", "HBM"}}};
  for (const Case& each : cases) {
    const Json told = bottleneck_of(each.run, each.run.settings);
    const double window = told.at("window_ns").get<double>();
    for (const std::string& resource : each.resources) {
      const auto lever = std::find_if(levers().begin(), levers().end(), [&](const Lever& lever) {
        return lever.resource == resource;
      });
      const double simulated = simulated_gain(each.run, *lever, window),
                   said = told_gain(told, resource);
      BOOST_TEST(std::abs(said / simulated - 1) < 0.05, each.run.name
                                                            << ", " << resource << ": said " << said
                                                            << ", simulated " << simulated);
    }
  }
}

// Routers with latency and occupancy apart: a latency counts on each hop of a walk; an occupancy of
// 24 ns where the second flit of a read is behind the first one.
BOOST_AUTO_TEST_CASE(twice_the_latency_or_occupancy_gains_what_the_table_says) {
  const std::string attrs = "cube.components.router.attrs.";
  const auto with = [&attrs](Run run, double occupancy) {
    run.settings = {
        {attrs + "overhead_ns", 0}, {attrs + "latency_ns", 2}, {attrs + "occupancy_ns", occupancy}};
    return run;
  };
  const Lever latency{"router latency", {attrs + "latency_ns"}},
      occupancy{"router occupancy", {attrs + "occupancy_ns"}};
  const Run walk{"walk", {"run", "--bench", "gather-walk", "--param", "steps=8"}};
  const auto check = [](const Run& run, const Lever& lever, double least) {
    const Json told = bottleneck_of(run, run.settings);
    const double simulated = simulated_gain(run, lever, told.at("window_ns").get<double>()),
                 said = told_gain(told, lever.resource);
    BOOST_TEST(simulated > least, run.name << ", " << lever.resource);
    BOOST_TEST(std::abs(said / simulated - 1) < 0.05, run.name << ", " << lever.resource
                                                               << ": said " << said
                                                               << ", simulated " << simulated);
    for (const Json& row : told.at("resources")) {
      if (row.at("resource") == lever.resource) BOOST_TEST(row.at("key") == lever.keys.front());
    }
  };
  check(with(walk, 0.5), latency, 1.02);
  check(with(gemm("256"), 24), occupancy, 1.02);
}

// `inspect` has the limits of the run, and busy times of its servers that are those of the
// statistics.
BOOST_AUTO_TEST_CASE(a_log_has_the_limits_and_servers_of_its_run) {
  const TemporaryFolder folder;
  const std::string log = folder.file("log.sqlite"), stats = folder.file("stats.json");
  const ProgramResult run = kernbench_program({"run", "--bench", "gpt3-qkv", "--topology", "tiny",
                                               "--json", "--op-log", log, "--stats", stats});
  BOOST_TEST_REQUIRE(run.status == 0, run.err);
  const ProgramResult limits =
      kernbench_program({"inspect", log, "--limits", "--servers", "--json"});
  BOOST_TEST_REQUIRE(limits.status == 0, limits.err);
  const Json told = Json::parse(limits.out);
  BOOST_TEST(told.at("bottleneck") == Json::parse(run.out).at("bottleneck"));

  std::map<std::string, double> busy;  // by server and resource
  const Json of_run = Json::parse(folder.read("stats.json"));
  for (const Json& server : of_run.at("servers"))
    busy[server.at("name").get<std::string>() + server.at("resource").get<std::string>()] +=
        server.at("busy_ns").get<double>();
  BOOST_TEST(busy.size() > 20U);
  for (const Json& server : told.at("servers"))
    busy[server.at("name").get<std::string>() + server.at("resource").get<std::string>()] -=
        server.at("busy_ns").get<double>();
  for (const auto& [server, difference] : busy) BOOST_TEST(std::abs(difference) < 1e-6, server);

  check_refused({"inspect", log, "--servers", "gpu"}, {"--servers 'gpu'", "'pe', 'host'"});
}

// A PE with an array of its own, narrower than those of its kind, is the busiest.
BOOST_AUTO_TEST_CASE(the_key_of_an_instance_is_the_one_that_was_set_for_it) {
  const auto key_with = [](const std::string& setting) {
    const ProgramResult run = kernbench_program(
        {"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--json", "--set", setting});
    BOOST_TEST_REQUIRE(run.status == 0, run.err);
    const Json told = Json::parse(run.out);
    for (const Json& row : told.at("bottleneck").at("resources"))
      if (row.at("resource") == "pe_gemm gemm") return row.at("key").get<std::string>();
    return std::string("none");
  };
  const std::string kind = "cube.pe_template.components.pe_gemm.attrs.";
  BOOST_TEST(key_with(kind + "macs_per_cycle=64") == kind + "macs_per_cycle");
  BOOST_TEST(key_with("sip0.cube0.pe*.pe_gemm.attrs.macs_per_cycle=64") ==
             "sip0.cube0.pe*.pe_gemm.attrs.macs_per_cycle");
  // Doubling the attribute of the kind still counts.
  BOOST_TEST(key_with("sip0.cube0.pe0.pe_gemm.attrs.queue_depth=4") == kind + "macs_per_cycle");
}

// Each kernel by itself: the limits of one kernel that runs alone are those of the run.
BOOST_AUTO_TEST_CASE(limits_of_the_only_kernel_are_those_of_the_run) {
  const ProgramResult run = kernbench_program(
      {"run", "--bench", "softmax-rows", "--topology", "tiny", "--kernel-limits", "--json"});
  BOOST_TEST_REQUIRE(run.status == 0, run.err);
  Json told = Json::parse(run.out).at("bottleneck");
  BOOST_TEST_REQUIRE(told.at("kernels").size() == 1U);
  Json kernel = told.at("kernels").at(0);
  told.erase("kernels");
  kernel.erase("kernel");
  BOOST_TEST(kernel == told);
}

// What the host moves before its first launch takes no time, and changes no time of the kernel.
BOOST_AUTO_TEST_CASE(untimed_inputs_begin_the_kernel_sooner) {
  const auto run = [](const Words& more) {
    const ProgramResult result = kernbench_program(
        joined({"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--json"}, more));
    BOOST_TEST_REQUIRE(result.status == 0, result.err);
    return Json::parse(result.out);
  };
  const Json timed = run({}), untimed = run({"--untimed-inputs"});
  BOOST_TEST(untimed.at("simulated_ns").get<double>() < timed.at("simulated_ns").get<double>());
  BOOST_TEST(untimed.at("kernels").at(0).at("pe_exec_ns") ==
             timed.at("kernels").at(0).at("pe_exec_ns"));
  check_refused({"run", "--untimed-inputs"}, {"--untimed-inputs requires --bench"});
}

BOOST_AUTO_TEST_SUITE_END()
