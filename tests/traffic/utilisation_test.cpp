// Whenever a run is cut short, nothing has been busy for longer than there was time (spec 11.3).
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <map>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/observe/object_tree.h"
#include "platform/observe/statistics_regions.h"
#include "platform/traffic/traffic_generator.h"
#include "platform/traffic/traffic_summary.h"
#include "tests/support/forked.h"
#include "tests/traffic/random_recipe.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(utilisation)

namespace {

constexpr Fs ns = fs_per_ns;

// Each flit's own time on each link.
class Intervals final : public tlm::tlm_analysis_if<LinkTraversal> {
 public:
  void write(const LinkTraversal& traversal) override {
    spans_[&traversal.link].push_back({traversal.start, traversal.end});
  }
  Fs busy_between(const Link& link, Fs from, Fs until) const {
    Fs busy = 0;
    const auto found = spans_.find(&link);
    if (found == spans_.end()) return 0;
    for (const auto& [start, end] : found->second) {
      const Fs first = std::max(start, from), last = std::min(end, until);
      if (first < last) busy += last - first;
    }
    return busy;
  }

 private:
  std::map<const Link*, std::vector<std::pair<Fs, Fs>>> spans_;
};

// Sums of times that no single component can exceed.
bool is_share_of_time(const std::string& key) {
  return key.find("busy") != std::string::npos || key.find("held") != std::string::npos;
}

// Of the machine: ticks, so that a region can begin in the middle of things.
class Marks final : public sc_core::sc_module {
 public:
  Marks(const sc_core::sc_module_name& name, StatisticsRegions& regions, Fs from, Fs until)
      : sc_core::sc_module(name), regions_(regions), from_(from), until_(until) {
    SC_HAS_PROCESS(Marks);
    SC_THREAD(run);
  }

 private:
  void run() {
    wait(Component::fs(from_));
    regions_.reset(Component::now());
    wait(Component::fs(until_ - from_));
    regions_.dump("region", Component::now());
  }
  StatisticsRegions& regions_;
  Fs from_, until_;
};

class Summarised final : public TrafficListener {
 public:
  explicit Summarised(Platform& platform) : summary(platform) {}
  void began() override { summary.begin(); }
  void ended(const TrafficResult& result) override { summary.add(result); }
  TrafficSummary summary;
};

void check_cut(const TrafficRecipe& recipe, const std::vector<Override>& overrides, Fs from,
               Fs until) {
  TrafficMachine m("topology.tiny.yaml", overrides);
  TrafficGenerator generator(recipe, *m.platform);
  Intervals intervals;
  m.platform->observation().link_traversals.bind(intervals);
  Summarised listener(*m.platform);
  TrafficPlayer player("traffic", *m.platform, generator, listener);
  StatisticsRegions regions(*m.platform);
  Marks marks("marks", regions, from, until);
  RunLimits limits;
  limits.until = until;
  m.platform->run(limits);
  const Fs now = Component::now();
  Fs in_region = 0;
  for (const auto& entry : m.platform->links()) {
    const Link::Statistics statistics = entry.link->statistics();
    BOOST_TEST(statistics.busy_fs == intervals.busy_between(*entry.link, 0, now),
               entry.link->name());
    BOOST_TEST(statistics.busy_fs <= now, entry.link->name());
    in_region += intervals.busy_between(*entry.link, from, until);
  }
  Fs told = 0;
  const auto& region = regions.json().at(0);
  for (const auto& kind : region.at("links"))
    told += static_cast<Fs>(kind.at("busy_ns").get<double>() * 1e6 + 0.5);
  BOOST_TEST(told == in_region);
  std::map<std::string, int> components;
  for (const Component* component : objects_of<Component>()) {
    if (component->node() == no_node) continue;
    ++components[std::string(name_of(m.platform->graph().node(component->node()).kind))];
    for (const Statistic& statistic : component->statistics()) {
      if (is_share_of_time(statistic.name))
        BOOST_TEST(statistic.at(now) <= now, component->name() << '.' << statistic.name);
    }
  }
  for (const auto& [kind, totals] : region.at("totals").items()) {
    for (const auto& [key, value] : totals.items()) {
      if (!is_share_of_time(key)) continue;
      const double most = to_ns(until - from) * components.at(kind) + 1e-6;
      BOOST_TEST(value.get<double>() <= most, kind << '.' << key);
    }
  }
  const nlohmann::ordered_json summary = listener.summary.json(100000);
  for (const auto& link : summary.at("busiest_links"))
    BOOST_TEST(link.at("utilisation").get<double>() <= 1.0, link.at("src"));
}

}  // namespace

// 4 KiB are queued at the DMA's link from 1 ns on, 16 flits of 1 ns. By 5.5 ns 4.5 flits have left;
// they are not all busy time of now.
KERNBENCH_SYSTEMC_TEST(what_is_booked_ahead_on_a_link_is_not_busy_time) {
  TrafficMachine m("topology.tiny.yaml");
  const CsvFile csv(csv_header + "0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.hbm_ctrl.pe0,0,4096\n");
  TrafficFile file(csv.path(), *m.platform);
  file.check();
  Summarised listener(*m.platform);
  TrafficPlayer player("traffic", *m.platform, file, listener);
  RunLimits limits;
  limits.until = 5'500'000;
  m.platform->run(limits);
  const auto summary = listener.summary.json();
  BOOST_TEST(summary.at("elapsed_ns") == 5.5);
  const auto& link = summary.at("busiest_links").at(0);
  BOOST_TEST(link.at("src") == "sip0.cube0.pe0.pe_dma");
  BOOST_TEST(link.at("bytes") == 1152);
  BOOST_TEST(link.at("busy_ns") == 4.5);
  BOOST_TEST(link.at("flits") == 16);  // handed over
  BOOST_TEST(link.at("utilisation").get<double>() == 4.5 / 5.5,
             boost::test_tools::tolerance(1e-12));
}

// Idle before the first request: utilisations are shares of the time since then.
KERNBENCH_SYSTEMC_TEST(the_time_before_the_first_request_does_not_count) {
  TrafficMachine m("topology.tiny.yaml");
  const CsvFile csv(csv_header + "1000,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n");
  TrafficFile file(csv.path(), *m.platform);
  file.check();
  Summarised listener(*m.platform);
  TrafficPlayer player("traffic", *m.platform, file, listener);
  m.platform->run();
  const auto summary = listener.summary.json();
  BOOST_TEST(summary.at("elapsed_ns") == 15.000004);
  BOOST_TEST(summary.at("makespan_ns") == 15.000004);
  BOOST_TEST(summary.at("busiest_links").at(0).at("utilisation").get<double>() == 1 / 15.000004,
             boost::test_tools::tolerance(1e-12));
}

RC_BOOST_PROP(nothing_is_busy_for_longer_than_there_was_time, ()) {
  const TrafficRecipe recipe = random_recipe(10);
  const std::vector<Override> overrides{
      {"cube.components.hbm_ctrl.attrs.switch_penalty_ns",
       *rc::gen::element<std::string>("0", "7")},
      {"cube.components.hbm_ctrl.attrs.overhead_ns", *rc::gen::element<std::string>("0", "3")},
      {"cube.components.router.attrs.overhead_ns", *rc::gen::element<std::string>("2", "30")},
      {"cube.pe_template.links",
       *rc::gen::element<std::string>("{}",
                                      "{pe_dma_to_pe_tcm: {bw_gbs: 512.0, distance_mm: 0.5}}")}};
  const Fs from = *rc::gen::inRange<Fs>(1, 300 * ns);
  const Fs until = from + *rc::gen::inRange<Fs>(1, 500 * ns);
  forked_value([&] {
    check_cut(recipe, overrides, from, until);
    return 0;
  });
}

BOOST_AUTO_TEST_SUITE_END()
