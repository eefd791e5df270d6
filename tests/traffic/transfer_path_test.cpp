// Intervals of transfers: their places and lengths derived by hand, and that they have no gaps.
#include <fmt/format.h>
#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_root.h"
#include "platform/traffic/traffic_generator.h"
#include "tests/support/forked.h"
#include "tests/support/observed_transfers.h"
#include "tests/traffic/random_recipe.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(transfer_path)

namespace {

constexpr Fs ns(double value) { return static_cast<Fs>(value * 1e6 + 0.5); }

const std::string pe0 = "sip0.cube0.pe0.pe_dma", pe4 = "sip0.cube0.pe4.pe_dma",
                  hbm0 = "sip0.cube0.hbm_ctrl.pe0", sram = "sip0.cube0.sram";

// Places from the initiator to the target, and back.
std::vector<FabricPlace> places_of(Platform& platform, const TrafficRequest& request) {
  const Graph& graph = platform.graph();
  const Path& path = platform.routes().memory_path(request.initiator, request.target);
  std::vector<FabricPlace> places;
  for (const Path* leg : {&path, &path.reverse()}) {
    NodeId before = no_node;
    for (const PathHop& hop : leg->hops()) {
      if (before != no_node)
        places.push_back(FabricPlace::link(
            static_cast<std::size_t>(graph.find_edge(before, hop.node) - graph.edges().data())));
      places.push_back(FabricPlace::node(hop.node));
      before = hop.node;
    }
  }
  return places;
}

// No gaps, from the issue to the end; neighbours differ; places in the order of the way.
void check_path(Platform& platform, const TransferPath& path, const TrafficResult& result) {
  BOOST_TEST(path.issue == result.request.issue);
  BOOST_TEST(path.end == result.end);
  BOOST_TEST(path.parts().total() == result.latency());
  const std::vector<FabricPlace> places = places_of(platform, result.request);
  auto place = places.begin();
  const TransferPath::Interval* before = nullptr;
  for (const TransferPath::Interval& interval : path.intervals) {
    BOOST_TEST(interval.start == (before == nullptr ? path.issue : before->end));
    BOOST_TEST(interval.start < interval.end);
    if (before != nullptr)
      BOOST_TEST((before->place != interval.place || before->part != interval.part));
    place = std::find(place, places.end(), interval.place);
    BOOST_TEST_REQUIRE((place != places.end()), name_of(interval.place, platform.graph()));
    before = &interval;
  }
  BOOST_TEST((path.intervals.empty() ? path.issue : before->end) == path.end);
}

class Paths final : public TrafficListener {
 public:
  explicit Paths(Platform& platform) : platform_(platform), breakdown_(platform) {}
  void ended(const TrafficResult& result) override {
    const TrafficRequest& request = result.request;
    TransferPath path = breakdown_.take(traffic_key(request.issue, request.id), request.initiator,
                                        request.issue, result.grant, result.end);
    check_path(platform_, path, result);
    if (paths.size() <= request.id) paths.resize(request.id + 1);
    paths[request.id] = std::move(path);
  }
  std::vector<TransferPath> paths;  // by id

 private:
  Platform& platform_;
  LatencyBreakdown breakdown_;
};

std::vector<TransferPath> paths_of(TrafficMachine& m, TrafficSource& source) {
  Paths paths(*m.platform);
  TrafficPlayer player("traffic", *m.platform, source, paths);
  const RunResult result = m.platform->run();
  if (result.cause) std::rethrow_exception(result.cause);
  return paths.paths;
}

std::vector<TransferPath> paths_of(TrafficMachine& m, const std::string& rows) {
  const CsvFile csv(csv_header + rows);
  TrafficFile file(csv.path(), *m.platform);
  file.check();
  return paths_of(m, file);
}

using Lines = std::vector<std::string>;  // "sip0.cube0.r0c0 noc 2000000"

std::string line(const std::string& place, LatencyPart part, Fs time) {
  return fmt::format("{} {} {}", place, name_of(part), time);
}

Lines lines_of(const Platform& platform, const TransferPath& path) {
  Lines lines;
  for (const TransferPath::Interval& interval : path.intervals)
    lines.push_back(
        line(name_of(interval.place, platform.graph()), interval.part, interval.time()));
  return lines;
}

// Names of the nodes between two, and of the links between neighbours.
struct Way {
  Way(Platform& platform, const std::string& from, const std::string& to) {
    const Graph& graph = platform.graph();
    for (const PathHop& hop : platform.routes().memory_path(graph.at(from), graph.at(to)).hops())
      nodes.push_back(graph.node(hop.node).name);
  }
  std::string link(std::size_t from, std::size_t to) const {
    const LinkName name = link_name(nodes.at(from), nodes.at(to));
    return std::string(name.scope) + "." + name.leaf;
  }
  Lines nodes;
};

const std::string two_writes_to_the_sram =
    "0," + pe0 + ",write," + sram + ",0,512\n9.3," + pe4 + ",write," + sram + ",4096,256\n";

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_link_has_the_name_of_its_module) {
  TrafficMachine m;
  for (const auto& [edge, link] : m.platform->links())
    BOOST_TEST(name_of(FabricPlace::link(edge), m.platform->graph()) == name_in_machine(*link));
}

// 15 ns + 4 fs (traffic_times): command: DMA 1, link +1, router 2, link +1; a burst of 8; the flit
// has each of two links for 1 ns, +1, and the router for 2.
KERNBENCH_SYSTEMC_TEST(a_local_read_of_one_flit) {
  TrafficMachine m;
  const auto paths = paths_of(m, "0," + pe0 + ",read," + hbm0 + ",0,256\n");
  const Way way(*m.platform, pe0, hbm0);
  BOOST_TEST_REQUIRE(way.nodes.size() == 3U);
  BOOST_TEST(
      lines_of(*m.platform, paths.at(0)) ==
          (Lines{line(pe0, LatencyPart::pe_setup, ns(1)),  //
                 line(way.link(0, 1), LatencyPart::noc, 1),
                 line(way.nodes[1], LatencyPart::noc, ns(2)),
                 line(way.link(1, 2), LatencyPart::noc, 1), line(hbm0, LatencyPart::hbm, ns(8)),
                 line(way.link(2, 1), LatencyPart::link, ns(1)),
                 line(way.link(2, 1), LatencyPart::noc, 1),
                 line(way.nodes[1], LatencyPart::noc, ns(2)),
                 line(way.link(1, 0), LatencyPart::link, ns(1)),
                 line(way.link(1, 0), LatencyPart::noc, 1)}),
      boost::test_tools::per_element());
}

// The second read is granted the channel when the first one has ended.
KERNBENCH_SYSTEMC_TEST(the_wait_for_the_channel_comes_first_at_the_initiator) {
  TrafficMachine m;
  const std::string row = "0," + pe0 + ",read," + hbm0 + ",0,256\n";
  const Lines lines = lines_of(*m.platform, paths_of(m, row + row).at(1));
  BOOST_TEST(lines.at(0) == line(pe0, LatencyPart::contention, ns(15) + 4));
  BOOST_TEST(lines.at(1) == line(pe0, LatencyPart::pe_setup, ns(1)));
}

// The own TCM has no link: what is left is the DMA's overhead.
KERNBENCH_SYSTEMC_TEST(the_own_tcm) {
  TrafficMachine m;
  const auto paths = paths_of(m, "0," + pe0 + ",read,sip0.cube0.pe0.pe_tcm,0,512\n");
  BOOST_TEST(lines_of(*m.platform, paths.at(0)) == (Lines{line(pe0, LatencyPart::pe_setup, ns(1))}),
             boost::test_tools::per_element());
}

// PE 0 writes two flits over three mesh links of 2.5, 1.5 and 3 mm to the router of the SRAM, r3c0.
// The first one leaves the DMA at 1; links 1, 1.25, 1.15, 1.3 and four routers of 2: at the link to
// the SRAM at 13.7 +1, which it has for 2. The second one has that link from 15.7 to 17.7 +1.
// PE 4 begins at 9.3: DMA 1, link 1 +1, router 2, link 1.15, at r3c0 at 14.45 +1, which PE 0's
// flits left at 13.7. Router 2: at the link to the SRAM at 16.45 +1, where it is stalled until 17.7
// +1, 1.25. Then 2 +1, SRAM 2; the acknowledgement pays the routers and the propagations again.
KERNBENCH_SYSTEMC_TEST(a_stall_behind_another_initiator_is_at_the_link) {
  TrafficMachine m;
  const auto paths = paths_of(m, two_writes_to_the_sram);
  BOOST_TEST(paths.at(0).parts()[LatencyPart::contention] == 0U);
  const Way way(*m.platform, pe4, sram);
  BOOST_TEST_REQUIRE(way.nodes.size() == 4U);
  BOOST_TEST(
      lines_of(*m.platform, paths.at(1)) ==
          (Lines{line(pe4, LatencyPart::pe_setup, ns(1)),
                 line(way.link(0, 1), LatencyPart::link, ns(1)),
                 line(way.link(0, 1), LatencyPart::noc, 1),
                 line(way.nodes[1], LatencyPart::noc, ns(2)),
                 line(way.link(1, 2), LatencyPart::link, ns(1)),
                 line(way.link(1, 2), LatencyPart::noc, ns(0.15)),
                 line(way.nodes[2], LatencyPart::noc, ns(2)),
                 line(way.link(2, 3), LatencyPart::contention, ns(1.25)),
                 line(way.link(2, 3), LatencyPart::link, ns(2)),
                 line(way.link(2, 3), LatencyPart::noc, 1), line(sram, LatencyPart::hbm, ns(2)),
                 line(way.link(3, 2), LatencyPart::noc, 1),
                 line(way.nodes[2], LatencyPart::noc, ns(2)),
                 line(way.link(2, 1), LatencyPart::noc, ns(0.15)),
                 line(way.nodes[1], LatencyPart::noc, ns(2)),
                 line(way.link(1, 0), LatencyPart::noc, 1)}),
      boost::test_tools::per_element());
}

// The same two writes cross four routers and two, each for 2 ns in each direction. Each crosses the
// link to the SRAM, for 4 ns and 2, and the one back, +1 in each direction.
KERNBENCH_SYSTEMC_TEST(sums_by_hop_name_the_worst_place) {
  TrafficMachine m;
  const ObservedTransfers transfers(*m.platform);
  m.play(two_writes_to_the_sram);
  const nlohmann::ordered_json hops = transfers.sums.by_place().json();
  BOOST_TEST(hops.at(0) == nlohmann::ordered_json::parse(R"({
      "place": "router_to_sram", "kind": "link", "crossings": 4, "service_ns": 6.000004,
      "stalled_ns": 1.25, "worst": ")" + Way(*m.platform, pe4, sram).link(2, 3) +
                                                         R"(",
      "worst_stalled_ns": 1.25})"));
  BOOST_TEST(hops.at(1) == nlohmann::ordered_json::parse(R"({
      "place": "router", "kind": "node", "crossings": 6, "service_ns": 24,
      "stalled_ns": 0, "worst": null, "worst_stalled_ns": null})"));
  BOOST_TEST(hops.size() == 6U);  // mesh links, links of the PEs, SRAM, DMA
}

// PE 0's acknowledgement arrives last, from four routers away.
KERNBENCH_SYSTEMC_TEST(each_transfer_is_a_row_when_it_has_ended) {
  TrafficMachine m;
  ObservedTransfers transfers(*m.platform);
  CollectedRows<TransferRow> rows(transfers.events);
  CollectedRows<HopRow> hops(transfers.events);
  m.play(two_writes_to_the_sram);
  Lines lines;
  for (const TransferRow& row : rows.all()) {
    Fs stalled = 0, at = row.issued;
    for (const HopRow& hop : hops.all()) {
      if (hop.transfer != row.id) continue;
      BOOST_TEST(hop.start == at);
      at = hop.end;
      if (hop.part == "contention") stalled += hop.end - hop.start;
    }
    BOOST_TEST(at == row.end);
    lines.push_back(fmt::format("{} {} {} {} {} {}", row.id, row.initiator, row.op, row.target,
                                row.bytes, stalled));
  }
  BOOST_TEST(lines == (Lines{fmt::format("1 {} write {} 256 1250000", pe4, sram),
                             fmt::format("2 {} write {} 512 0", pe0, sram)}),
             boost::test_tools::per_element());
}

// Checked in Paths.
RC_BOOST_PROP(intervals_of_random_traffic_have_no_gaps, ()) {
  const TrafficRecipe recipe = random_recipe(*rc::gen::inRange<std::uint64_t>(1, 20));
  const std::vector<Override> overrides{
      {"cube.components.hbm_ctrl.attrs.switch_penalty_ns",
       *rc::gen::element<std::string>("0", "7")},
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through",
       *rc::gen::element<std::string>("true", "false")},
      {"cube.pe_template.links",
       *rc::gen::element<std::string>("{}",
                                      "{pe_dma_to_pe_tcm: {bw_gbs: 512.0, distance_mm: 0.5}}")}};
  const auto requests = forked_value([&] {
    TrafficMachine m("topology.tiny.yaml", overrides);
    TrafficGenerator generator(recipe, *m.platform);
    return static_cast<std::uint64_t>(paths_of(m, generator).size());
  });
  RC_ASSERT(requests > 0U);
}

BOOST_AUTO_TEST_SUITE_END()
