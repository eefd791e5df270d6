// Figures published for transfers of the Python system, alone and many at once.
#include <fmt/format.h>

#include <algorithm>

#include "platform/topology/graph.h"
#include "platform/topology/lower_bound.h"
#include "platform/topology/machine_message.h"
#include "platform/topology/zero_load_latency.h"
#include "platform/validate/case_machines.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

constexpr std::uint64_t block = 16384;  // bytes of a transfer of pe-dma-perf
constexpr int pes = 8;                  // per cube
constexpr double flits = block / 256.0;

using Scenario = std::vector<TrafficRequest>;  // transfers that start at once

TrafficRequest transfer(const Platform& platform, PeId from, PeId to, bool write = true,
                        std::uint64_t bytes = block) {
  TrafficRequest request;
  request.initiator = platform.machine().engine(from, PeEngine::pe_dma);
  request.target = platform.machine().hbm(to);
  request.bytes = bytes;
  request.write = write;
  return request;
}

TrafficRequest host_write(const Platform& platform, std::uint64_t bytes) {
  TrafficRequest request = transfer(platform, {0, 0, 0}, {0, 0, 0}, true, bytes);
  request.initiator = platform.machine().pcie_ep(0);
  return request;
}

// PEs first to last of cube 0 access the partition of PE 0, each its own block.
Scenario hot_partition(const Platform& platform, int first, int last, bool write) {
  Scenario scenario;
  for (int pe = first; pe <= last; ++pe) {
    scenario.push_back(transfer(platform, {0, 0, pe}, {0, 0, 0}, write));
    scenario.back().offset = static_cast<std::uint64_t>(pe) * block;
  }
  return scenario;
}

// All PEs of SIP 0 access their own partition, or that of PE 0 of cube 0.
Scenario whole_sip(const Platform& platform, bool own, bool write) {
  Scenario scenario;
  for (int cube = 0; cube < platform.machine().cubes(); ++cube) {
    for (int pe = 0; pe < pes; ++pe) {
      const PeId to = own ? PeId{0, cube, pe} : PeId{0, 0, 0};
      scenario.push_back(transfer(platform, {0, cube, pe}, to, write));
    }
  }
  return scenario;
}

// Each PE of cube 0 accesses the partition of the same number in cube 1.
Scenario eastbound(const Platform& platform) {
  Scenario scenario;
  for (int pe = 0; pe < pes; ++pe) scenario.push_back(transfer(platform, {0, 0, pe}, {0, 1, pe}));
  return scenario;
}

// Longest latency of each scenario; each starts on a machine that has long been idle.
std::vector<double> longest_ns(Platform& platform, const std::vector<Scenario>& scenarios) {
  constexpr Fs apart = 100'000 * fs_per_ns;
  std::vector<TrafficRequest> requests;
  std::vector<std::size_t> scenario_of;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    for (TrafficRequest request : scenarios[i]) {
      request.issue = static_cast<Fs>(i) * apart;
      requests.push_back(request);
      scenario_of.push_back(i);
    }
  }
  std::vector<double> longest(scenarios.size(), 0);
  const std::vector<TrafficResult> results = play_requests(platform, requests);
  for (std::size_t i = 0; i < results.size(); ++i) {
    double& ns = longest[scenario_of[i]];
    ns = std::max(ns, to_ns(results[i].latency()));
  }
  return longest;
}

std::vector<ValidationCheck> play_local(Platform& platform) {
  const Scenario own = whole_sip(platform, true, true);
  Scenario once, twice;  // all PEs of a cube, for the rate without latency
  for (int pe = 0; pe < pes; ++pe) {
    once.push_back(transfer(platform, {0, 0, pe}, {0, 0, pe}, false, 4 * block));
    twice.push_back(transfer(platform, {0, 0, pe}, {0, 0, pe}, false, 8 * block));
  }
  const auto ns = longest_ns(platform, {{transfer(platform, {0, 0, 0}, {0, 0, 0})},
                                        {transfer(platform, {0, 0, 0}, {0, 0, 0}, true, 2 * block)},
                                        own,
                                        once,
                                        twice});
  return {published_check("16 KiB, a PE and its own HBM", "ns", 77, 0.5, ns[0]),
          published_check("32 KiB, a PE and its own HBM", "ns", 141, 0.5, ns[1]),
          published_check("16 KiB, all PEs of a SIP and their own HBM", "TB/s", 27.2, 0.05,
                          static_cast<double>(own.size() * block) / ns[2] / 1000),
          published_check("all PEs of a cube stream from their own HBM", "GB/s", 2048, 0.5,
                          static_cast<double>(pes * 4 * block) / (ns[4] - ns[3]))};
}

// First flit at the link of the partition, `transfers` x 64 flits on it, a burst, and the response
// over `routers` of 2 ns.
ValidationCheck hot_check(const char* quantity, double published, double first_ns, int transfers,
                          int routers, double simulated) {
  return bound_check(
      Relation::at_least,
      differing_check(
          quantity, "ns", published,
          fmt::format("{:g} + {} * {:g} + 8 + {} * 2", first_ns, transfers, flits, routers),
          first_ns + transfers * flits + 8 + routers * 2,
          "above the bound: bursts of several transfers that meet on a pseudo-channel, as the "
          "order of their flits decides; the published figure is between those of reads and writes",
          simulated));
}

std::vector<ValidationCheck> play_hot_partition(Platform& platform) {
  const auto ns = longest_ns(
      platform, {hot_partition(platform, 1, 1, true), hot_partition(platform, 1, 2, true),
                 hot_partition(platform, 1, 3, true), hot_partition(platform, 1, 3, false),
                 hot_partition(platform, 0, 7, true), hot_partition(platform, 0, 7, false)});
  return {published_check("PE 1 and the HBM of PE 0", "ns", 82, 0.5, ns[0]),
          published_check("PEs 1, 2 and the HBM of PE 0", "ns", 158, 0.5, ns[1]),
          hot_check("PEs 1 to 3 and the HBM of PE 0, writes", 230, 6, 3, 7, ns[2]),
          hot_check("PEs 1 to 3 and the HBM of PE 0, reads", 230, 6, 3, 7, ns[3]),
          hot_check("PEs 0 to 7 and the HBM of PE 0, writes", 558, 3, 8, 11, ns[4]),
          hot_check("PEs 0 to 7 and the HBM of PE 0, reads", 558, 3, 8, 11, ns[5])};
}

// The first flit arrives after 33.5 ns, each further one 2 ns later, the first of them 2 earlier:
// the router that delays the first does not delay them. A burst follows.
ValidationCheck host_check(const char* size, double published, std::uint64_t bytes,
                           double simulated) {
  const double expected = 33.5 + (static_cast<double>(bytes) / 256 - 1) * 2 - 2 + 8;
  return differing_check(
      fmt::format("host writes {} to cube 0", size), "ns", published,
      fmt::format("33.5 + {} * 2 - 2 + 8", bytes / 256 - 1), expected,
      "4 ns: the link between a UCIe port and a connection takes 2 ns per flit here, in the IO "
      "chiplet and in the cube; the records give a bandwidth to the other side of a connection "
      "only (ADR-0017 D5)",
      simulated);
}

std::vector<ValidationCheck> play_host_writes(Platform& platform) {
  const auto ns = longest_ns(platform, {{host_write(platform, 4096)},
                                        {host_write(platform, 65536)},
                                        {host_write(platform, 1 << 20)}});
  return {host_check("4 KiB", 65.5, 4096, ns[0]), host_check("64 KiB", 545, 65536, ns[1]),
          published_check("host writes 1 MiB to cube 0", "ns", 8230, 5, ns[2])};
}

constexpr const char* lanes =
    "paths of the Python system pass UCIe ports at no length and take the first by name, so that "
    "seven of eight enter cube 1 by one connection; lane_select: first, below";

std::vector<ValidationCheck> play_eastbound(Platform& platform) {
  return {differing_check("8 PEs of cube 0 and their like in cube 1", "ns", 963,
                          "8 + 7 * 8 + 0.6 + 8 + 2 * 64 * 2 + 3 + 8 + 31.5", 371.1, lanes,
                          longest_ns(platform, {eastbound(platform)})[0])};
}

int paths_through(Platform& platform, const Scenario& scenario, const std::string& node) {
  int paths = 0;
  for (const TrafficRequest& request : scenario) {
    const auto& hops = platform.routes().memory_path(request.initiator, request.target).hops();
    paths += std::any_of(hops.begin(), hops.end(), [&](const PathHop& hop) {
      return platform.graph().node(hop.node).name == node;
    });
  }
  return paths;
}

std::vector<ValidationCheck> play_eastbound_first(Platform& platform) {
  const Scenario scenario = eastbound(platform);
  const int shared = paths_through(platform, scenario, "sip0.cube1.ucie-W.conn0");
  return {published_check("of 8 paths, those over one connection", "paths", 7, 0, shared),
          bound_check(
              Relation::at_least,
              differing_check("8 PEs of cube 0 and their like in cube 1", "ns", 963, "7 * 64 * 2",
                              7 * flits * 2,
                              "the connection's flits; above the bound: the paths to and from it, "
                              "here with 16 ns more on links between ports and connections, and a "
                              "part that the records do not explain",
                              longest_ns(platform, {scenario})[0]))};
}

double hot_sip_gbs(const Platform& platform, double longest) {
  return static_cast<double>(platform.machine().cubes() * pes) * block / longest;
}

// 452.2: latency of the farthest transfer alone (remote-cube).
std::vector<ValidationCheck> play_hot_sip(Platform& platform) {
  const auto ns =
      longest_ns(platform, {whole_sip(platform, false, true), whole_sip(platform, false, false)});
  const std::string limit =
      "here the link of the partition limits, in the Python system the one connection of 128 GB/s "
      "by which 120 of the paths enter the cube";
  return {
      bound_check(
          Relation::at_least,
          differing_check("128 PEs and the HBM of one, writes", "GB/s", 134,
                          "2097152 / (128 * 64 + 452.2)", 2097152 / (128 * flits + 452.2),
                          "bound: the link is busy from the first flit to the last; " + limit,
                          hot_sip_gbs(platform, ns[0]))),
      bound_check(Relation::at_most,
                  differing_check(
                      "128 PEs and the HBM of one, reads", "GB/s", 134, "2097152 / (128 * 64)", 256,
                      "bound: the link alone; reads wait for their bursts as well; " + limit,
                      hot_sip_gbs(platform, ns[1])))};
}

std::vector<ValidationCheck> play_hot_sip_first(Platform& platform) {
  const Scenario scenario = whole_sip(platform, false, true);
  ValidationCheck shared;
  shared.quantity = "of 128 paths, those over one connection";
  shared.formula = "15 * 8";
  shared.unit = "paths";
  shared.expected = 15 * pes;
  shared.simulated = paths_through(platform, scenario, "sip0.cube0.ucie-E.conn0");
  return {shared, published_check("128 PEs and the HBM of one, writes", "GB/s", 134, 0.5,
                                  hot_sip_gbs(platform, longest_ns(platform, {scenario})[0]))};
}

constexpr PeId here{0, 0, 0}, far_cube{0, 15, 7};
constexpr const char* to_far_cube = "16 KiB, PE 0 of cube 0 and PE 7 of cube 15";

using Play = std::function<std::vector<ValidationCheck>(Platform&)>;

// Transfer alone, computed along its path, flit by flit, without a simulation.
Play play_alone(const char* quantity, double published, const char* reason, PeId to) {
  return [=](Platform& platform) -> std::vector<ValidationCheck> {
    const TrafficRequest request = transfer(platform, here, to);
    const Path& path = platform.routes().memory_path(request.initiator, request.target);
    const MemoryMessage message =
        machine_message(platform.graph(), path, request.write, request.offset, request.bytes);
    const MessageBound legs = lower_bound(path, message);
    const std::string formula =
        fmt::format("{:g} + {:g} + {:g} + {:g}", to_ns(legs.initiator), to_ns(legs.data),
                    to_ns(legs.burst), to_ns(legs.control));
    return {differing_check(quantity, "ns", published, formula,
                            to_ns(zero_load_latency(path, message)), reason,
                            longest_ns(platform, {{request}})[0])};
  };
}

Play play_other_sip(const char* reason) {
  return play_alone("16 KiB, PE 0 of SIP 0 and PE 0 of SIP 1", 409, reason, {1, 0, 0});
}

std::vector<ValidationCheck> play_far_cube_first(Platform& platform) {
  const TrafficRequest request = transfer(platform, here, far_cube);
  const auto& hops = platform.routes().memory_path(request.initiator, request.target).hops();
  int links = 0;
  for (std::size_t i = 0; i + 1 < hops.size(); ++i) {
    links +=
        platform.graph().find_edge(hops[i].node, hops[i + 1].node)->kind == EdgeKind::ucie_internal;
  }
  return {differing_check(
      to_far_cube, "ns", 573, fmt::format("573 + {} * 2", links), 573 + links * 2,
      "2 ns per flit on each link between a UCIe port and a connection, as in the host's writes",
      longest_ns(platform, {{request}})[0])};
}

ValidationCase source_case(std::string name, std::string statement, std::string source,
                           std::vector<Override> machine, Play run) {
  return {std::move(name),    "source",      std::move(statement), std::move(source), "",
          std::move(machine), std::move(run)};
}

}  // namespace

std::vector<ValidationCase> source_cases() {
  const std::string perf = "Python system, pe-dma-perf; ";
  const std::vector<Override> first{{"cube.ucie.lane_select", "first"}};
  const std::vector<Override> cut_through{
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through", "true"}};
  const std::vector<Override> source = source_machine(), ours = our_machine(),
                              two_sips = our_machine("{count: 2, topology: ring_1d}");
  return {
      source_case("local-transfers",
                  "First flit and router, the bytes at 256 GB/s, a burst, the router on the way "
                  "back: 1 + 2 + 64 + 8 + 2",
                  perf + "probe; ADR-0017 D5, ADR-0033 D1, ADR-0034 D4", source, play_local),
      source_case("hot-partition",
                  "Several PEs of a cube at the partition of PE 0: its link carries 256 GB/s",
                  perf + "ADR-0033 D1, ADR-0037 D3", source, play_hot_partition),
      source_case("host-writes", "Host writes are posted and end at commit",
                  "Python system, probe (three digits); ADR-0016 D3, ADR-0034 D8", source,
                  play_host_writes),
      source_case("eastbound", "Two PEs share each of the four connections", perf + "ADR-0017 D6",
                  ours, play_eastbound),
      source_case("eastbound-first", "The same over the paths of the Python system",
                  perf + "ADR-0051 D4", with(source, first), play_eastbound_first),
      source_case("hot-sip", "All PEs of a SIP at the partition of one", perf + "ADR-0017 D5", ours,
                  play_hot_sip),
      source_case("hot-sip-first", "The same over the paths of the Python system",
                  perf + "ADR-0051 D4", with(source, first), play_hot_sip_first),
      source_case("remote-cube", "The farthest partition of the SIP", perf + "ADR-0017 D6", ours,
                  play_alone(to_far_cube, 573,
                             "setup, way there, burst, answer: the path has 12 UCIe ports; in the "
                             "Python system it has 8 more, as short cuts within cubes",
                             far_cube)),
      source_case("remote-cube-first", "The same over the path of the Python system",
                  perf + "ADR-0051 D4", with(source, first), play_far_cube_first),
      source_case("remote-sip", "A partition of another SIP", perf + "ADR-0038", two_sips,
                  play_other_sip("setup, way there, burst, answer: pcie_ep takes a message whole, "
                                 "twice (ADR-0038 D4); the published figure is too short for it")),
      source_case("remote-sip-cut-through", "The same with end points that pass flits on",
                  perf + "ADR-0038", with(two_sips, cut_through),
                  play_other_sip("setup, way there, burst, answer; the published figure is 256 + "
                                 "3 * 51: the bytes once, at 64 GB/s, and the overheads of the "
                                 "nodes on the way, which are 51, three times; here twice"))};
}

}  // namespace kernbench
