// The whole machine and the naive fabric play the same dense traffic to scratchpads: at pe_dma what
// starts there, what passes to pe_tcm and what comes back meet at one femtosecond (spec 2.3: pe_dma
// before pe_tcm).
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "platform/assembly/fabric_edges.h"
#include "tests/support/forked.h"
#include "tests/support/naive_fabric.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ties)

namespace {

struct Drawn {
  Fs issued = 0;
  std::string initiator, target;
  bool write = false;
  std::uint64_t offset = 0, bytes = 0;
};

// A femtosecond is the step of everything: no lengths, flits of 8 B, links of 1 B per fs or without
// a limit.
std::vector<Override> some_machine() {
  const auto overhead = [](const std::string& component) {
    return Override{component + ".attrs.overhead_ns",
                    *rc::gen::element<std::string>("0", "0", "0.000002", "0.000004")};
  };
  const auto rate = [](const std::string& key) {
    return Override{key, *rc::gen::element<std::string>("0", "1000000")};
  };
  const std::string io = "sip.io_chiplets.io0.", engines = "cube.pe_template.components.";
  return {{"system.ns_per_mm", "0"},
          {"system.flit_bytes", "8"},
          overhead(io + "components.pcie_ep"),
          overhead(io + "components.io_ucie"),
          overhead("cube.ucie.port"),
          overhead("cube.components.router"),
          overhead("cube.components.sram"),
          overhead(engines + "pe_dma"),
          overhead(engines + "pe_tcm"),
          rate(io + "links.pcie_ep_to_noc_bw_gbs"),
          rate(io + "links.per_connection_bw_gbs"),
          rate("cube.ucie.per_connection_bw_gbs"),
          rate("cube.links.router_link_bw_gbs"),
          rate("cube.links.pe_to_router_bw_gbs"),
          rate("cube.links.sram_to_router_bw_gbs")};
}

std::vector<Drawn> some_requests() {
  const std::string cube = "sip0.cube0.", host = "sip0.io0.pcie_ep";
  std::vector<std::string> initiators{host}, targets{cube + "sram"};
  for (int pe = 0; pe < 3; ++pe) {
    initiators.push_back(cube + "pe" + std::to_string(pe) + ".pe_dma");
    targets.push_back(cube + "pe" + std::to_string(pe) + ".pe_tcm");
  }
  std::vector<Drawn> requests(*rc::gen::inRange<std::size_t>(2, 30));
  for (Drawn& request : requests) {
    request.issued = *rc::gen::inRange<Fs>(0, 40);
    request.initiator = *rc::gen::elementOf(initiators);
    request.target = *rc::gen::elementOf(targets);
    request.write = *rc::gen::arbitrary<bool>();
    request.offset = *rc::gen::inRange<std::uint64_t>(0, 16);
    request.bytes = *rc::gen::inRange<std::uint64_t>(1, 40);
  }
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Drawn& a, const Drawn& b) { return a.issued < b.issued; });
  return requests;
}

NaiveKind naive_kind(Role kind) {
  switch (kind) {
    case Role::pe_dma:
      return NaiveKind::dma;
    case Role::pe_tcm:
      return NaiveKind::tcm;
    case Role::sram:
      return NaiveKind::sram;
    case Role::pcie_ep:
      return NaiveKind::pcie;
    default:
      return NaiveKind::router;
  }
}

std::vector<Time> naive_times(Platform& platform, const std::vector<Drawn>& drawn) {
  const Graph& graph = platform.graph();
  const FabricEdges edges(graph);
  std::vector<NaiveNode> nodes(graph.nodes().size());
  for (NodeId id = 0; id < nodes.size(); ++id) {
    const Attributes& attributes = graph.node(id).attributes();
    nodes[id].kind = naive_kind(graph.node(id).kind);
    if (attributes.has("overhead_ns"))
      nodes[id].overhead = ns_to_fs(attributes.decimal("overhead_ns"));
  }
  std::vector<NaiveLink> links;
  for (std::size_t i = 0; i < graph.edges().size(); ++i) {
    if (edges[i].binding != EdgeBinding::link) continue;
    // At least 1 where anything goes.
    const auto bytes_per_fs =
        static_cast<std::uint64_t>((edges[i].bw_gbs / Rational(1'000'000)).round_half_up());
    links.push_back({static_cast<int>(graph.edges()[i].src), static_cast<int>(graph.edges()[i].dst),
                     bytes_per_fs, edges[i].propagation_fs});
  }
  std::vector<NaiveRequest> requests;
  for (const Drawn& each : drawn) {
    NaiveRequest request;
    const bool host = graph.node(graph.at(each.initiator)).kind == Role::pcie_ep;
    request.kind = !each.write ? NaiveRequest::Kind::read
                   : host      ? NaiveRequest::Kind::posted_write
                               : NaiveRequest::Kind::write;
    for (const PathHop& hop :
         platform.routes().memory_path(graph.at(each.initiator), graph.at(each.target)).hops())
      request.path.push_back(static_cast<int>(hop.node));
    request.offset = each.offset;
    request.bytes = each.bytes;
    request.issued = each.issued;
    requests.push_back(std::move(request));
  }
  return NaiveFabric(nodes, links, 8).play(requests, true);
}

std::vector<Time> machine_times(TrafficMachine& machine, const std::vector<Drawn>& drawn) {
  std::string rows;
  for (const Drawn& each : drawn) {
    rows += Rational::fraction(static_cast<Rational::Int>(each.issued), 1'000'000).str() + "," +
            each.initiator + "," + (each.write ? "write" : "read") + "," + each.target + "," +
            std::to_string(each.offset) + "," + std::to_string(each.bytes) + "\n";
  }
  std::vector<Time> times;
  for (const TrafficResult& result : machine.play(rows)) times.push_back(result.end);
  return times;
}

}  // namespace

RC_BOOST_PROP(traffic_to_scratchpads_reaches_the_times_of_the_naive_fabric, ()) {
  const std::vector<Override> overrides = some_machine();
  const std::vector<Drawn> requests = some_requests();
  using Both = std::pair<std::vector<Time>, std::vector<Time>>;
  const Both times = forked_value([&] {
    TrafficMachine machine("topology.tiny.yaml", overrides);
    Both both;
    both.first = naive_times(*machine.platform, requests);
    both.second = machine_times(machine, requests);
    return both;
  });
  RC_ASSERT(times.first == times.second);
}

BOOST_AUTO_TEST_SUITE_END()
