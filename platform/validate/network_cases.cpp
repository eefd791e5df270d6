// Closed forms of messages on chains of links and on rings.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/validate/played_requests.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

constexpr double gbs = 64;  // of every limited link
constexpr double mib = 1 << 20;
constexpr int nodes_of_ring = 16;
constexpr double hop_ns = 500;  // latency of a hop

double wire_quantum_ns(const Path& path) { return 1e-6 * path.target_position(); }

// The machine of the chains: 8 cubes in a row, 500 ns apart (1000 mm at 0.5 ns/mm), entered from the IO chiplet over another link
// of that length. Every link has 64 GB/s, every node but the memory takes 3 ns, the host's end point 7.
constexpr double router_ns = 3, setup_ns = 7;

std::vector<Override> chain_of_cubes(const std::string& flit_bytes) {
  std::vector<Override> overrides{
      {"system.flit_bytes", flit_bytes},
      {"system.ns_per_mm", "0.5"},
      {"sip.cube_mesh.w", "8"},
      {"sip.links.ucie_seam.distance_mm", "1000"},
      {"sip.links.ucie_seam.bw_gbs", "64"},
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.overhead_ns", "7"},
      {"sip.io_chiplets.io0.links", "{pcie_ep_to_noc_bw_gbs: 64, per_connection_bw_gbs: 64, n_connections: 1}"},
      {"sip.io_chiplets.io0.cube_ports", "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 1000}]"},
      {"cube.ucie.n_connections", "1"},
      {"cube.ucie.per_connection_bw_gbs", "64"},
      {"cube.links.router_link_bw_gbs", "64"},
      {"cube.links.sram_to_router_bw_gbs", "64"},
      {"cube.components.sram.attrs.overhead_ns", "0"}};
  for (const char* node : {"sip.io_chiplets.io0.components.io_noc", "sip.io_chiplets.io0.components.io_ucie",
                           "sip.io_chiplets.io0.components.conn", "cube.ucie.port", "cube.ucie.conn", "cube.components.router"}) {
    overrides.push_back({std::string(node) + ".attrs.overhead_ns", "3"});
  }
  return overrides;
}

struct Chain {
  const Path* path = nullptr;
  double links = 0;      // l
  double flight_ns = 0;  // D / v
  Fs time = 0;           // of a posted write of the host
};

// Wires without length take 1 fs each, the closed forms nothing.
std::vector<ValidationCheck> chain_check(const Chain& chain, const char* message, std::string formula, double expected_ns) {
  ValidationCheck check;
  check.quantity = fmt::format("{} over {:g} links of 64 GB/s, 8 of them 500 ns long", message, chain.links);
  check.formula = std::move(formula);
  check.unit = "ns";
  check.expected = expected_ns;
  check.simulated = to_ns(chain.time);
  check.tolerance = wire_quantum_ns(*chain.path);
  check.allowance = "1 fs per link without length";
  return {check};
}

Chain write_over_chain(Platform& platform, std::uint64_t bytes) {
  Chain chain;
  TrafficRequest request;
  request.initiator = platform.machine().pcie_ep(0);
  request.target = platform.machine().sram(0, platform.machine().cubes() - 1);
  request.bytes = bytes;
  request.write = true;
  chain.path = &platform.routes().memory_path(request.initiator, request.target);
  chain.links = chain.path->target_position();
  Rational length;
  for (std::uint32_t i = 0; i < chain.path->target_position(); ++i) {
    length = length + platform.graph().find_edge(chain.path->hop(i).node, chain.path->hop(i + 1).node)->distance_mm;
  }
  chain.flight_ns = length.to_double() * 0.5;
  chain.time = play_requests(platform, {request}).at(0).latency();
  return chain;
}

std::vector<ValidationCheck> play_wormhole_chain(Platform& platform) {
  const Chain chain = write_over_chain(platform, 1 << 20);
  const double flit_ns = 256 / gbs, message_ns = mib / gbs, routers = chain.links - 1;
  return chain_check(chain, "1 MiB",
                     fmt::format("{:g} + {:g} * {:g} + {:g} + {:g} + {:g} * {:g}", setup_ns, routers, router_ns, chain.flight_ns,
                                 message_ns, routers, flit_ns),
                     setup_ns + routers * router_ns + chain.flight_ns + message_ns + routers * flit_ns);
}

std::vector<ValidationCheck> play_store_and_forward_chain(Platform& platform) {
  const Chain chain = write_over_chain(platform, 65536);
  const double message_ns = 65536 / gbs, routers = chain.links - 1;
  return chain_check(chain, "64 KiB",
                     fmt::format("{:g} + {:g} * {:g} + {:g} * {:g} + {:g}", setup_ns, chain.links, message_ns, routers, router_ns,
                                 chain.flight_ns),
                     setup_ns + chain.links * message_ns + routers * router_ns + chain.flight_ns);
}

// 16 SIPs at one switch, 250 ns (500 mm at 0.5 ns/mm) from each to the switch: 500 ns from SIP to SIP. Only these links are
// limited, so that a message is at the neighbour's memory when it is at the neighbour; nothing charges an overhead.
std::vector<Override> ring_of_sips() {
  std::vector<Override> overrides{
      {"system.ns_per_mm", "0.5"},
      {"system.sips.count", "16"},
      {"system.links.io_ep_to_switch", "{bw_gbs: 64, distance_mm: 500}"},
      {"system.switch.attrs.overhead_ns", "0"},
      {"sip.io_chiplets.io0.links", "{pcie_ep_to_noc_bw_gbs: 0, per_connection_bw_gbs: 0, n_connections: 1}"},
      {"sip.io_chiplets.io0.cube_ports", "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 0}]"},
      {"cube.ucie.n_connections", "1"},
      {"cube.ucie.per_connection_bw_gbs", "0"},
      {"cube.links.router_link_bw_gbs", "0"},
      {"cube.links.sram_to_router_bw_gbs", "0"},
      {"cube.placement.sram.pos_mm", "[1.5, 1.5]"},
      {"cube.components.sram.attrs.overhead_ns", "0"}};
  for (const char* node :
       {"sip.io_chiplets.io0.components.pcie_ep", "sip.io_chiplets.io0.components.io_noc", "sip.io_chiplets.io0.components.io_ucie",
        "sip.io_chiplets.io0.components.conn", "cube.ucie.port", "cube.ucie.conn", "cube.components.router"}) {
    overrides.push_back({std::string(node) + ".attrs.overhead_ns", "0"});
  }
  return overrides;
}

TrafficRequest to_successor(const Platform& platform, int sip) {
  TrafficRequest request;
  request.initiator = platform.machine().pcie_ep(sip);
  request.target = platform.machine().sram((sip + 1) % nodes_of_ring, 0);
  request.bytes = 1 << 20;
  request.write = true;
  return request;
}

std::vector<ValidationCheck> ring_check(const Platform& platform, int steps, Fs time) {
  const double message_ns = mib / gbs, flit_ns = static_cast<double>(platform.machine().flit_bytes()) / gbs;
  ValidationCheck check;
  check.quantity = fmt::format("{} step{} of 1 MiB among 16 nodes, 500 ns and 64 GB/s per hop", steps, steps == 1 ? "" : "s");
  check.formula = fmt::format("{} * ({:g} + {:g})", steps, hop_ns, message_ns);
  check.unit = "ns";
  check.expected = steps * (hop_ns + message_ns);
  check.simulated = to_ns(time);
  check.tolerance = steps * (flit_ns + 1e-4);
  check.allowance = fmt::format(
      "the switch takes one flit whole before it passes it on: {:g} ns per step; wires without length 1 fs each", flit_ns);
  return {check};
}

std::vector<ValidationCheck> play_ring_step(Platform& platform) {
  std::vector<TrafficRequest> step;
  for (int sip = 0; sip < nodes_of_ring; ++sip) step.push_back(to_successor(platform, sip));
  Fs last = 0;
  for (const TrafficResult& result : play_requests(platform, step)) last = std::max(last, result.end);
  return ring_check(platform, 1, last);
}

std::vector<ValidationCheck> play_ring_all_gather(Platform& platform) {
  std::vector<TrafficRequest> step;
  std::vector<int> sip_of(platform.machine().nodes(), -1);
  for (int sip = 0; sip < nodes_of_ring; ++sip) {
    step.push_back(to_successor(platform, sip));
    sip_of[platform.machine().sram(sip, 0)] = sip;
  }
  std::vector<int> sent(nodes_of_ring, 1);
  Fs last = 0;
  play_requests(platform, step, [&](const TrafficResult& result) {
    last = std::max(last, result.end);
    const int here = sip_of[result.request.target];
    std::vector<TrafficRequest> next;
    if (sent[static_cast<std::size_t>(here)]++ < nodes_of_ring - 1) next.push_back(to_successor(platform, here));
    return next;
  });
  return ring_check(platform, nodes_of_ring - 1, last);
}

}  // namespace

std::vector<ValidationCase> network_cases() {
  return {
      {"wormhole-chain", "network",
       "Cut-through: routers and wires once each, the message once: T = t_s + H t_r + D/v + L/b, and the header (a flit of f "
       "bytes) "
       "on each further link: (l - 1) f/b",
       "W. Dally, B. Towles, Principles and Practices of Interconnection Networks (2004), 3.3: zero-load latency; A. Grama et al., "
       "Introduction to Parallel Computing, 2nd ed. (2003), 2.5: cut-through routing, t_s + l t_h + m t_w",
       "tiny", chain_of_cubes("256"), play_wormhole_chain},
      {"store-and-forward-chain", "network",
       "Store-and-forward: the whole message on every link: T = t_s + (m t_w + t_h) l. A message that is one flit is taken whole "
       "by "
       "every node",
       "A. Grama et al., Introduction to Parallel Computing, 2nd ed. (2003), 2.5: store-and-forward routing", "tiny",
       chain_of_cubes("65536"), play_store_and_forward_chain},
      {"ring-step", "network",
       "All nodes send to their successors at once, links are used in one direction only: a step takes alpha + n beta, as for one "
       "message",
       "R. Hockney, The communication challenge for MPP (1994): t = alpha + n beta; R. Thakur, R. Rabenseifner, W. Gropp, "
       "Optimization of Collective Communication Operations in MPICH (2005), 4.1: ring; the same form as ASTRA-sim's analytical "
       "network",
       "tiny", ring_of_sips(), play_ring_step},
      {"ring-all-gather", "network",
       "p - 1 steps; a node passes on in each what came whole in the one before (store-and-forward): (p - 1) (alpha + n beta), n "
       "bytes per step",
       "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in MPICH (2005), 4.1: ring "
       "all-gather",
       "tiny", ring_of_sips(), play_ring_all_gather}};
}

}  // namespace kernbench
