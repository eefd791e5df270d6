// Finite buffers in every router of the mesh (spec 2.10) under all-to-all traffic.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/traffic/all_to_all.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(back_pressure)

namespace {

// As many reads as writes, of random memories: the next one when one has ended.
TrafficRecipe reads_and_writes(std::uint64_t requests, std::uint64_t size_bytes,
                               std::uint32_t max_outstanding) {
  TrafficRecipe recipe;
  recipe.pattern = TrafficPattern::closed_loop;
  recipe.requests = requests;
  recipe.size_bytes = size_bytes;
  recipe.read_share = Rational::parse("0.5");
  recipe.max_outstanding = max_outstanding;
  return recipe;
}

}  // namespace

BOOST_AUTO_TEST_CASE(finite_buffers_in_every_router_lose_nothing) {
  const Played plain = all_to_all({});
  for (const char* flits : {"1", "2", "16"}) {
    const Played finite = all_to_all({{"cube.components.router.attrs.buffer_flits", flits}});
    BOOST_TEST(finite.bytes == plain.bytes, boost::test_tools::per_element());
    BOOST_TEST(finite.stalls > 0U);
  }
  const Played ample = all_to_all({{"cube.components.router.attrs.buffer_flits", "4096"},
                                   {"cube.components.router.attrs.virtual_channels", "64"}});
  BOOST_TEST(ample.stalls == 0U);
  BOOST_TEST(ample.ended == plain.ended, boost::test_tools::per_element());
}

// Virtual-channel routers in the mesh move the same bytes over every link.
BOOST_AUTO_TEST_CASE(virtual_channel_routers_lose_nothing) {
  const Played plain = all_to_all({});
  for (const char* attributes : {"{buffer_flits: 1, virtual_channels: 2, pipeline_cycles: 1}",
                                 "{allocator: islip, islip_iterations: 2, clock_ghz: 0.7}",
                                 "{allocator: age, virtual_channels: 6}"}) {
    const Played switched =
        all_to_all({{"cube.components.router",
                     "{impl: builtin.vc_router, attrs: " + std::string(attributes) + "}"}});
    BOOST_TEST(switched.bytes == plain.bytes, boost::test_tools::per_element());
    BOOST_TEST(switched.ended.size() == plain.ended.size());
  }
}

// Requests and responses share the only channel: row first meets column first. With two channels
// the same traffic comes to its end.
BOOST_AUTO_TEST_CASE(a_cycle_of_waiting_is_a_deadlock_that_names_who_waits) {
  const auto error_of = [](const char* channels, std::uint64_t seed) {
    return forked_value([=] {
      TrafficMachine m("topology.tiny.yaml",
                       {{"system.cyclic_buffers", "accept"},
                        {"cube.components.router.attrs.buffer_flits", "1"},
                        {"cube.components.router.attrs.virtual_channels", channels},
                        {"cube.pe_template.components.pe_dma.attrs.rd_engines", "8"},
                        {"cube.pe_template.components.pe_dma.attrs.wr_engines", "8"}});
      TrafficRecipe recipe = reads_and_writes(100, 65536, 32);
      recipe.seed = seed;
      TrafficGenerator generator(recipe, *m.platform);
      try {
        m.play(generator);
      } catch (const DeadlockError& error) {
        return std::string(error.what());
      }
      return std::string();
    });
  };
  std::string text;
  for (std::uint64_t seed = 1; seed <= 6 && text.empty(); ++seed) {
    text = error_of("1", seed);
    BOOST_TEST(error_of("2", seed) == "");
  }
  BOOST_TEST(text.find("deadlock at ") != std::string::npos);
  BOOST_TEST(text.find(".pe_dma waits for credits of sip0.cube0.r") != std::string::npos);
  BOOST_TEST(text.find("virtual channel 0 without a credit: ") != std::string::npos);
  BOOST_TEST(text.find("messages without a virtual channel, the first: ") != std::string::npos);
}

// Buffers of one flit in all routers and UCIe ports of 16 cubes, 16 requests in flight at every PE.
// Paths along x first with a class of channels per phase have no cycle of dependencies; the
// shortest paths have one, and with a channel per leg this traffic closes it.
BOOST_AUTO_TEST_CASE(classes_of_channels_exclude_the_deadlock_of_shortest_paths) {
  const auto error_of = [](const std::vector<Override>& more) {
    return forked_value([&] {
      std::vector<Override> overrides{{"system.sips.count", "1"},
                                      {"cube.pe_template.components.pe_dma.attrs.rd_engines", "8"},
                                      {"cube.pe_template.components.pe_dma.attrs.wr_engines", "8"}};
      for (const char* node : {"cube.ucie.port", "cube.ucie.conn", "cube.components.router"})
        overrides.push_back({std::string(node) + ".attrs.buffer_flits", "1"});
      overrides.insert(overrides.end(), more.begin(), more.end());
      TrafficMachine m("topology.hw.yaml", overrides);
      TrafficRecipe recipe = reads_and_writes(4, 16384, 16);
      recipe.initiators = {"sip0.cube*.pe*.pe_dma"};
      TrafficGenerator generator(recipe, *m.platform);
      try {
        m.play(generator);
      } catch (const DeadlockError& error) {
        return std::string(error.what());
      }
      return std::string();
    });
  };
  BOOST_TEST(error_of({}) == "");
  std::vector<Override> shortest{{"sip.cube_routes", "shortest"},
                                 {"system.channel_classes", "one"},
                                 {"system.cyclic_buffers", "accept"}};
  for (const char* node : {"cube.ucie.port", "cube.ucie.conn", "cube.components.router"})
    shortest.push_back({std::string(node) + ".attrs.virtual_channels", "2"});
  BOOST_TEST(error_of(shortest).find("deadlock at ") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
