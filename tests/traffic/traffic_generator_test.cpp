// Requests made by rule: what each pattern promises (spec 10.2).
#include "platform/traffic/traffic_generator.h"

#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <tuple>

#include "models/base/errors.h"
#include "platform/topology/machine_message.h"
#include "platform/traffic/traffic_player.h"
#include "platform/traffic/traffic_rows.h"
#include "tests/support/forked.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(traffic_generator)

namespace {

constexpr TrafficPattern open_patterns[] = {TrafficPattern::stream, TrafficPattern::random,
                                            TrafficPattern::stride, TrafficPattern::hotspot};

TrafficRecipe some_recipe(TrafficPattern pattern) {
  TrafficRecipe recipe;
  recipe.pattern = pattern;
  using Globs = std::vector<std::string>;
  recipe.initiators =
      *rc::gen::elementOf(std::vector<Globs>{{"sip0.cube0.pe*.pe_dma"},
                                             {"sip0.cube0.pe[0-3].pe_dma", "sip0.io0.pcie_ep"},
                                             {"*pe7.pe_dma"}});
  recipe.targets = *rc::gen::elementOf(
      std::vector<Globs>{{}, {}, {"sip0.cube0.hbm_ctrl.pe*"}, {"sip0.cube0.sram", "*.pe_tcm"}});
  recipe.requests = *rc::gen::inRange<std::uint64_t>(1, 12);
  recipe.size_bytes = *rc::gen::element<std::uint64_t>(1, 64, 100, 256, 1000, 4096);
  recipe.stride_bytes = *rc::gen::element<std::uint64_t>(0, 256, 777, 65536);
  recipe.rate_gbs = Rational::parse(*rc::gen::element<std::string>("0", "64", "3.7", "1000"));
  recipe.read_share = Rational::parse(*rc::gen::element<std::string>("0", "1", "0.5", "0.125"));
  recipe.max_outstanding = *rc::gen::inRange<std::uint64_t>(1, 5);
  recipe.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  return recipe;
}

struct Tiny : TrafficMachine {
  Tiny() : TrafficMachine("topology.tiny.yaml") {}
  std::vector<TrafficRequest> requests_of(const TrafficRecipe& recipe) {
    TrafficGenerator generator(recipe, *platform);
    std::vector<TrafficRequest> requests(1);
    while (generator.next(requests.back())) requests.emplace_back();
    requests.pop_back();
    return requests;
  }
};

using Numbers = std::vector<std::uint64_t>;

Numbers numbers_of(const std::vector<TrafficRequest>& requests) {
  Numbers numbers;
  for (const TrafficRequest& r : requests)
    numbers.insert(numbers.end(),
                   {r.issue, r.initiator, r.target, r.offset, r.bytes, r.id, r.write});
  return numbers;
}

Numbers numbers_of(const std::vector<TrafficResult>& results) {
  Numbers numbers;
  for (const TrafficResult& r : results)
    numbers.insert(numbers.end(), {r.request.id, r.request.issue, r.grant, r.end, r.request.bytes});
  return numbers;
}

// What `traffic --save` writes.
std::string rows_of(const TrafficMachine& machine, const std::vector<TrafficRequest>& requests) {
  std::string rows;
  for (const TrafficRequest& r : requests) {
    rows += fixed_ns(r.issue) + "," + machine.platform->machine().name(r.initiator) +
            (r.write ? ",write," : ",read,") + machine.platform->machine().name(r.target) + "," +
            std::to_string(r.offset) + "," + std::to_string(r.bytes) + "\n";
  }
  return rows;
}

}  // namespace

// Every initiator makes its number of requests; the k-th is issued when k * size bytes have been
// offered at the rate; ids ascend; every request lies in its memory; one seed, one sequence.
RC_BOOST_PROP(open_patterns_keep_their_promises, ()) {
  const TrafficRecipe recipe = some_recipe(*rc::gen::elementOf(
      std::vector<TrafficPattern>(std::begin(open_patterns), std::end(open_patterns))));
  forked_value([&recipe] {
    Tiny m;
    const auto requests = m.requests_of(recipe);
    std::map<NodeId, std::uint64_t> made;
    std::uint32_t id = 0;
    for (const TrafficRequest& request : requests) {
      const std::uint64_t k = made[request.initiator]++;
      const Fs due = recipe.rate_gbs.is_zero()
                         ? 0
                         : ns_to_fs(Rational(static_cast<std::int64_t>(k * recipe.size_bytes)) /
                                    recipe.rate_gbs);
      BOOST_TEST(request.issue == due);
      BOOST_TEST(request.id == id++);
      BOOST_TEST(request.bytes == recipe.size_bytes);
      BOOST_TEST(request.offset + request.bytes <= traffic_capacity(*m.platform, request.target));
      BOOST_TEST(starts_transfers(m.platform->graph().node(request.initiator)));
      BOOST_TEST(is_memory(m.platform->graph().node(request.target)));
      if (recipe.read_share == Rational(1)) BOOST_TEST(!request.write);
      if (recipe.read_share == Rational(0)) BOOST_TEST(request.write);
    }
    for (const auto& [node, count] : made) BOOST_TEST(count == recipe.requests);
    BOOST_TEST((numbers_of(requests) == numbers_of(m.requests_of(recipe))));
    return 0;
  });
}

// Saved and played from the file, or played directly: the same times.
RC_BOOST_PROP(saved_requests_play_as_direct_ones, ()) {
  const TrafficRecipe recipe = some_recipe(*rc::gen::elementOf(
      std::vector<TrafficPattern>(std::begin(open_patterns), std::end(open_patterns))));
  const auto direct = forked_value([&recipe] {
    Tiny m;
    TrafficGenerator generator(recipe, *m.platform);
    return numbers_of(m.play(generator));
  });
  const auto saved = forked_value([&recipe] {
    Tiny m;
    return numbers_of(m.play(rows_of(m, m.requests_of(recipe))));
  });
  RC_ASSERT(direct == saved);
}

// No initiator ever has more requests outstanding than it may; all are made; each but the first
// ones is issued when another has ended.
RC_BOOST_PROP(closed_loop_never_exceeds_its_outstanding_requests, ()) {
  const TrafficRecipe recipe = some_recipe(TrafficPattern::closed_loop);
  forked_value([&recipe] {
    Tiny m;
    TrafficGenerator generator(recipe, *m.platform);
    const auto results = m.play(generator);
    std::map<NodeId, std::vector<std::pair<Fs, int>>>
        changes;  // at one instant an end comes before an issue
    std::map<NodeId, std::uint64_t> made;
    for (const TrafficResult& result : results) {
      changes[result.request.initiator].emplace_back(result.request.issue, +1);
      changes[result.request.initiator].emplace_back(result.end, -1);
      ++made[result.request.initiator];
    }
    for (auto& [node, list] : changes) {
      BOOST_TEST(made[node] == recipe.requests);
      // A request that ends at its own issue counts as outstanding for no time: only whole instants
      // are compared.
      std::map<Fs, int> net;
      for (const auto& [time, change] : list) net[time] += change;
      int in_flight = 0;
      for (const auto& [time, change] : net) {
        in_flight += change;
        BOOST_TEST(in_flight <= static_cast<int>(recipe.max_outstanding));
        const bool more = made[node] > recipe.max_outstanding &&
                          time < std::max_element(list.begin(), list.end())->first;
        if (more && time == 0) BOOST_TEST(in_flight == static_cast<int>(recipe.max_outstanding));
      }
    }
    return 0;
  });
}

// 10000 draws at 0.3: 3000 reads, give or take five standard deviations (46 each). Seeds differ.
KERNBENCH_SYSTEMC_FIXTURE_TEST(the_share_of_reads_is_met, Tiny) {
  TrafficRecipe recipe;
  recipe.pattern = TrafficPattern::random;
  recipe.initiators = {"sip0.cube0.pe0.pe_dma"};
  recipe.requests = 10000;
  recipe.read_share = Rational::parse("0.3");
  const auto first = requests_of(recipe);
  const auto reads =
      std::count_if(first.begin(), first.end(), [](const TrafficRequest& r) { return !r.write; });
  BOOST_TEST(reads > 2770);
  BOOST_TEST(reads < 3230);
  std::set<NodeId> targets;
  for (const TrafficRequest& r : first) targets.insert(r.target);
  BOOST_TEST(targets.size() == 8u);
  recipe.seed = 2;
  BOOST_TEST((numbers_of(first) != numbers_of(requests_of(recipe))));
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(streams_and_strides_walk_through_the_own_partition, Tiny) {
  TrafficRecipe recipe;
  recipe.initiators = {"sip0.cube0.pe2.pe_dma"};
  recipe.requests = 4;
  recipe.size_bytes = 1024;
  std::vector<std::uint64_t> offsets;
  for (const TrafficRequest& r : requests_of(recipe)) {
    offsets.push_back(r.offset);
    BOOST_TEST(r.target == node("sip0.cube0.hbm_ctrl.pe2"));
  }
  BOOST_TEST(offsets == (std::vector<std::uint64_t>{0, 1024, 2048, 3072}),
             boost::test_tools::per_element());
  recipe.pattern = TrafficPattern::stride;
  recipe.targets = {"sip0.cube0.sram"};
  recipe.stride_bytes = 16'777'216;  // 32 MiB of SRAM: 33553409 places for 1 KiB
  offsets.clear();
  for (const TrafficRequest& r : requests_of(recipe)) offsets.push_back(r.offset);
  BOOST_TEST(offsets == (std::vector<std::uint64_t>{0, 16'777'216, 33'554'432 - 33'553'409,
                                                    50'331'648 - 33'553'409}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(all_initiators_access_the_hotspot, Tiny) {
  TrafficRecipe recipe;
  recipe.pattern = TrafficPattern::hotspot;
  recipe.requests = 5;
  const auto requests = requests_of(recipe);
  BOOST_TEST(requests.size() == 40u);
  for (const TrafficRequest& r : requests) BOOST_TEST(r.target == node("sip0.cube0.hbm_ctrl.pe0"));
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(recipes_that_cannot_be_are_refused, Tiny) {
  const auto refused = [this](void (*change)(TrafficRecipe&), const std::string& part) {
    TrafficRecipe recipe;
    change(recipe);
    try {
      TrafficGenerator generator(recipe, *platform);
      BOOST_ERROR("accepted, without '" << part << "'");
    } catch (const UsageError& error) {
      BOOST_TEST(std::string(error.what()).find(part) != std::string::npos, error.what());
    }
  };
  refused([](TrafficRecipe& r) { r.requests = 0; }, "--requests is 0");
  refused([](TrafficRecipe& r) { r.requests = 1'000'000'000; }, "more than 4294967295 in all");
  refused([](TrafficRecipe& r) { r.size_bytes = 0; }, "--size is 0");
  refused([](TrafficRecipe& r) { r.size_bytes = 5'000'000'000; },
          "--size is 5000000000, allowed is 1 to 4294967295");
  refused(
      [](TrafficRecipe& r) {
        r.size_bytes = 4'000'000;
        r.targets = {"sip0.cube0.pe0.pe_tcm"};
      },
      "sip0.cube0.pe0.pe_tcm has 2097152 bytes");
  refused([](TrafficRecipe& r) { r.max_outstanding = 0; }, "--max-outstanding is 0");
  refused([](TrafficRecipe& r) { r.rate_gbs = Rational(-1); }, "--rate is -1");
  refused([](TrafficRecipe& r) { r.read_share = Rational::parse("1.5"); }, "--read-share is 1.5");
  refused([](TrafficRecipe& r) { r.initiators = {"sip0.cube0.r*"}; },
          "--initiators 'sip0.cube0.r*' takes no node");
  refused([](TrafficRecipe& r) { r.targets = {"*.pe_dma"}; }, "--targets '*.pe_dma' takes no node");
  BOOST_CHECK_THROW(parse_traffic_pattern("strem"), UsageError);
}

// The last of 64 requests of 4096 B is issued after 63 * 4096 / rate: at 10^-6 GB/s 2.6 * 10^11 ns,
// at 10^-7 ten times as many.
KERNBENCH_SYSTEMC_FIXTURE_TEST(the_last_request_is_issued_within_a_million_million_ns, Tiny) {
  TrafficRecipe recipe;
  recipe.initiators = {"sip0.cube0.pe0.pe_dma"};
  recipe.rate_gbs = Rational::parse("1e-6");
  BOOST_TEST(requests_of(recipe).back().issue == 63ULL * 4096 * 1'000'000 * fs_per_ns);
  const auto refused = [&](const std::string& part) {
    BOOST_CHECK_EXCEPTION(TrafficGenerator(recipe, *platform), UsageError,
                          [&](const UsageError& error) {
                            return std::string(error.what()).find(part) != std::string::npos;
                          });
  };
  recipe.rate_gbs = Rational::parse("1e-7");
  refused(
      "--rate is 0.0000001, with which the last of 64 requests of 4096 B would be issued after "
      "1e12 ns");
  recipe.pattern = TrafficPattern::closed_loop;
  TrafficGenerator(recipe, *platform);  // its times come from the simulation
  recipe.pattern = TrafficPattern::random;
  recipe.requests = 4'000'000'000;
  recipe.size_bytes = 4'000'000'000;
  recipe.rate_gbs = Rational::parse("0.999999999999999999");
  refused("has no time that can be computed exactly; allowed are fewer digits, or fewer requests");
}

BOOST_AUTO_TEST_SUITE_END()
