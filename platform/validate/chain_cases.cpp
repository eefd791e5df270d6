// Closed forms of one message on a chain of links.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/topology/graph.h"
#include "platform/validate/case_machines.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

constexpr double gbs = 64;  // bandwidth of every limited link
constexpr double mib = 1 << 20;

double link_quantum_ns(const Path& path) { return 1e-6 * path.target_position(); }

// Machine of the chains: 8 cubes in a row, 500 ns apart (1000 mm at 0.5 ns/mm), entered from the IO
// chiplet over another link of that length. Every link has 64 GB/s, every node except the memory
// takes 3 ns, the host's end point 7.
constexpr double router_ns = 3, setup_ns = 7;

std::vector<Override> chain_of_cubes(const std::string& flit_bytes) {
  std::vector<Override> overrides{
      {"system.flit_bytes", flit_bytes},
      {"system.ns_per_mm", "0.5"},
      {"sip.cube_mesh.w", "8"},
      {"sip.links.ucie_seam.distance_mm", "1000"},
      {"sip.links.ucie_seam.bw_gbs", "64"},
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.overhead_ns", "7"},
      {"sip.io_chiplets.io0.links",
       "{pcie_ep_to_noc_bw_gbs: 64, per_connection_bw_gbs: 64, n_connections: 1}"},
      {"sip.io_chiplets.io0.cube_ports",
       "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 1000}]"},
      {"cube.ucie.n_connections", "1"},
      {"cube.ucie.per_connection_bw_gbs", "64"},
      {"cube.links.router_link_bw_gbs", "64"},
      {"cube.links.sram_to_router_bw_gbs", "64"},
      {"cube.components.sram.attrs.overhead_ns", "0"}};
  for (const char* node :
       {"sip.io_chiplets.io0.components.io_noc", "sip.io_chiplets.io0.components.io_ucie",
        "sip.io_chiplets.io0.components.conn", "cube.ucie.port", "cube.ucie.conn",
        "cube.components.router"}) {
    overrides.push_back({std::string(node) + ".attrs.overhead_ns", "3"});
  }
  return overrides;
}

struct Chain {
  const Path* path = nullptr;
  double links = 0;      // l
  double flight_ns = 0;  // D / v
  Fs time = 0;           // time of a posted write of the host
};

// Links without length take 1 fs each; the closed forms ignore it.
std::vector<ValidationCheck> chain_check(const Chain& chain, const char* message,
                                         std::string formula, double expected_ns) {
  ValidationCheck check;
  check.quantity =
      fmt::format("{} over {:g} links of 64 GB/s, 8 of them 500 ns long", message, chain.links);
  check.formula = std::move(formula);
  check.unit = "ns";
  check.expected = expected_ns;
  check.simulated = to_ns(chain.time);
  check.tolerance = link_quantum_ns(*chain.path);
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
    length = length + platform.graph()
                          .find_edge(chain.path->hop(i).node, chain.path->hop(i + 1).node)
                          ->distance_mm;
  }
  chain.flight_ns = length.to_double() * 0.5;
  chain.time = play_requests(platform, {request}).at(0).latency();
  return chain;
}

std::vector<ValidationCheck> play_wormhole_chain(Platform& platform) {
  const Chain chain = write_over_chain(platform, 1 << 20);
  const double flit_ns = 256 / gbs, message_ns = mib / gbs, routers = chain.links - 1;
  return chain_check(
      chain, "1 MiB",
      fmt::format("{:g} + {:g} * {:g} + {:g} + {:g} + {:g} * {:g}", setup_ns, routers, router_ns,
                  chain.flight_ns, message_ns, routers, flit_ns),
      setup_ns + routers * router_ns + chain.flight_ns + message_ns + routers * flit_ns);
}

std::vector<ValidationCheck> play_store_and_forward_chain(Platform& platform) {
  const Chain chain = write_over_chain(platform, 65536);
  const double message_ns = 65536 / gbs, routers = chain.links - 1;
  return chain_check(chain, "64 KiB",
                     fmt::format("{:g} + {:g} * {:g} + {:g} * {:g} + {:g}", setup_ns, chain.links,
                                 message_ns, routers, router_ns, chain.flight_ns),
                     setup_ns + chain.links * message_ns + routers * router_ns + chain.flight_ns);
}

}  // namespace

std::vector<ValidationCase> chain_cases() {
  return {{"wormhole-chain", "network",
           "Cut-through: start-up, routers and links once each, the message once: T = t_s + H t_r "
           "+ D/v + L/b, and the header (a "
           "flit of f "
           "bytes) on each further link: (l - 1) f/b",
           "T = t_s + l t_h + m t_w for cut-through routing, with the terms defined: exercise on "
           "routing techniques, as quoted by "
           "quesba.com "
           "(startup, per-hop and per-word time); the same form: solutions to homework 4 of CS "
           "677, Grand Valley State University "
           "(2008), no. "
           "1. Terms of zero-load latency (hop latency t_r times H, link, serialization L/b): W. "
           "Dally, B. Towles, Principles and "
           "Practices of "
           "Interconnection Networks (2004), by an exercise; its section was not at hand",
           "tiny", chain_of_cubes("256"), play_wormhole_chain},
          {"store-and-forward-chain", "network",
           "Store-and-forward: the whole message on every link: T = t_s + (m t_w + t_h) l. A "
           "message that is one flit is taken "
           "whole by every "
           "node",
           "T = t_s + (m t_w + t_h) l for store-and-forward routing: the same exercise and "
           "homework as for wormhole-chain; two "
           "links take 2 "
           "L/R: J. Kurose, K. Ross, Computer Networking, 6th ed., p. 24",
           "tiny", chain_of_cubes("65536"), play_store_and_forward_chain}};
}

}  // namespace kernbench
