// Closed forms of messages on rings: one step, and the collectives composed of steps.
#include <fmt/format.h>

#include <algorithm>

#include "platform/validate/case_machines.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

constexpr double gbs = 64;  // bandwidth of every limited link
constexpr std::uint64_t mib = 1 << 20;
constexpr int nodes = 16;
constexpr double hop_ns = 500;  // from node to node, without the message

struct Ring {
  const char* flit_bytes = "256";
  const char* behind_gbs =
      "0";  // bandwidth of the link behind the end point that forwards the message
  const char* cut_through = "false";
};

// 16 SIPs at one switch, 250 ns (500 mm at 0.5 ns/mm) from each to the switch. Only these links,
// and on request the one behind the end point, are limited, so that a message arrives at the
// neighbour and at its memory at the same time; no node has an overhead.
std::vector<Override> ring_of_sips(const Ring& ring) {
  std::vector<Override> overrides{
      {"system.ns_per_mm", "0.5"},
      {"system.flit_bytes", ring.flit_bytes},
      {"system.sips.count", "16"},
      {"system.links.io_ep_to_switch", "{bw_gbs: 64, distance_mm: 500}"},
      {"system.switch.attrs.overhead_ns", "0"},
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through", ring.cut_through},
      {"sip.io_chiplets.io0.links",
       fmt::format("{{pcie_ep_to_noc_bw_gbs: {}, per_connection_bw_gbs: 0, n_connections: 1}}",
                   ring.behind_gbs)},
      {"sip.io_chiplets.io0.cube_ports",
       "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 0}]"},
      {"cube.ucie.n_connections", "1"},
      {"cube.ucie.per_connection_bw_gbs", "0"},
      {"cube.links.router_link_bw_gbs", "0"},
      {"cube.links.sram_to_router_bw_gbs", "0"},
      {"cube.placement.sram.pos_mm", "[1.5, 1.5]"},
      {"cube.components.sram.attrs.overhead_ns", "0"}};
  for (const char* node :
       {"sip.io_chiplets.io0.components.pcie_ep", "sip.io_chiplets.io0.components.io_noc",
        "sip.io_chiplets.io0.components.io_ucie", "sip.io_chiplets.io0.components.conn",
        "cube.ucie.port", "cube.ucie.conn", "cube.components.router"}) {
    overrides.push_back({std::string(node) + ".attrs.overhead_ns", "0"});
  }
  return overrides;
}

TrafficRequest to_successor(const Platform& platform, int sip, std::uint64_t bytes) {
  TrafficRequest request;
  request.initiator = platform.machine().pcie_ep(sip);
  request.target = platform.machine().sram((sip + 1) % nodes, 0);
  request.bytes = bytes;
  request.write = true;
  return request;
}

// Every node sends to its successor immediately, and again as soon as it has received the message
// of its predecessor. Returns the last end.
Fs play_steps(Platform& platform, int steps, std::uint64_t bytes) {
  std::vector<TrafficRequest> first;
  std::vector<int> sip_of(platform.machine().nodes.size(), -1);
  for (int sip = 0; sip < nodes; ++sip) {
    first.push_back(to_successor(platform, sip, bytes));
    sip_of[platform.machine().sram(sip, 0)] = sip;
  }
  std::vector<int> sent(nodes, 1);
  Fs last = 0;
  play_requests(platform, first, [&](const TrafficResult& result) {
    last = std::max(last, result.end);
    const int here = sip_of[result.request.target];
    std::vector<TrafficRequest> next;
    if (sent[static_cast<std::size_t>(here)]++ < steps)
      next.push_back(to_successor(platform, here, bytes));
    return next;
  });
  return last;
}

std::string sizes_text(int steps, std::uint64_t bytes) {
  return fmt::format("{} step{} of {} KiB among 16 nodes, 500 ns and 64 GB/s per hop", steps,
                     steps == 1 ? "" : "s", bytes / 1024);
}

ValidationCheck step_check(int steps, std::uint64_t bytes, Fs time, std::string formula,
                           double expected_ns) {
  ValidationCheck check;
  check.quantity = sizes_text(steps, bytes);
  check.formula = std::move(formula);
  check.unit = "ns";
  check.expected = expected_ns;
  check.simulated = to_ns(time);
  check.tolerance = steps * 1e-4;
  check.allowance = "links without length 1 fs each";
  return check;
}

double flit_ns(const Platform& platform) {
  return static_cast<double>(platform.machine().flit_bytes) / gbs;
}

// Steps of alpha + n beta; the switch adds less than the tolerance.
std::vector<ValidationCheck> play_alpha_beta(Platform& platform, int steps) {
  const double message_ns = mib / gbs, flit = flit_ns(platform);
  ValidationCheck check = step_check(steps, mib, play_steps(platform, steps, mib),
                                     fmt::format("{} * ({:g} + {:g})", steps, hop_ns, message_ns),
                                     steps * (hop_ns + message_ns));
  check.tolerance += steps * flit;
  check.allowance =
      fmt::format("the switch takes one flit whole before it passes it on: {:g} ns per step; ",
                  flit) +
      check.allowance;
  return {check};
}

std::vector<ValidationCheck> play_cut_through_step(Platform& platform) {
  const double message_ns = mib / gbs, flit = flit_ns(platform);
  return {step_check(1, mib, play_steps(platform, 1, mib),
                     fmt::format("{:g} + {:g} + 2 * {:g}", hop_ns, message_ns, flit),
                     hop_ns + message_ns + 2 * flit)};
}

std::vector<ValidationCheck> play_store_and_forward_step(Platform& platform) {
  constexpr std::uint64_t bytes = 65536;
  const double message_ns = bytes / gbs;
  return {step_check(1, bytes, play_steps(platform, 1, bytes),
                     fmt::format("{:g} + 3 * {:g}", hop_ns, message_ns), hop_ns + 3 * message_ns)};
}

// Reduce-scatter and all-gather of 1 MiB, without the time of the additions.
std::vector<ValidationCheck> play_all_reduce(Platform& platform) {
  constexpr int steps = 2 * (nodes - 1);
  constexpr std::uint64_t part = mib / nodes;
  const double alpha_ns = hop_ns + flit_ns(platform), part_ns = part / gbs;
  const Fs time = play_steps(platform, steps, part);
  ValidationCheck bound = step_check(
      steps, part, time, fmt::format("{} / {:g} * 2 * 15 / 16", mib, gbs), mib / gbs * 2 * 15 / 16);
  bound.tolerance = 0;
  bound.allowance = "";
  bound.relation = Relation::at_least;
  bound.remark = "the excess over the bound is the latencies of the 30 steps";
  return {step_check(steps, part, time, fmt::format("{} * ({:g} + {:g})", steps, alpha_ns, part_ns),
                     steps * (alpha_ns + part_ns)),
          bound};
}

// A step there takes the latencies of its links and bytes / rate; the steps add up.
std::vector<ValidationCheck> play_astra_sim(Platform& platform, int steps, std::uint64_t bytes) {
  const double formula = steps * (hop_ns + static_cast<double>(bytes) / gbs);
  ValidationCheck check = goal_check(sizes_text(steps, bytes), "ns", formula,
                                     to_ns(play_steps(platform, steps, bytes)), 10, 1);
  check.formula = fmt::format("{} * ({:g} + {} / {:g})", steps, hop_ns, bytes, gbs);
  return {check};
}

ValidationCase astra_sim_case(const char* name, const char* collective, int steps,
                              std::uint64_t bytes) {
  return {
      name,
      "correlation",
      fmt::format("Ring {} among 16 nodes: every step takes latency + bytes / rate", collective),
      "ASTRA-sim, commit 518bd51, analytical network 599a047, congestion-unaware: "
      "BasicTopology::compute_communication_delay, read from the source (docs/correlation.md)",
      "tiny",
      ring_of_sips({}),
      [=](Platform& platform) { return play_astra_sim(platform, steps, bytes); }};
}

const char* const routing_exercise =
    "exercise on routing techniques, as quoted by quesba.com (startup, per-hop and per-word time), "
    "and homework 4 of CS 677, Grand "
    "Valley "
    "State University (2008), no. 1";

}  // namespace

std::vector<ValidationCase> ring_cases() {
  const std::string routing = routing_exercise;
  return {
      {"ring-step", "network",
       "All nodes send to their successors at once, links are used in one direction only: a step "
       "takes alpha + n beta, as for one "
       "message",
       "time roughly equal to overhead + size / bw: NCCL tests, doc/PERFORMANCE.md, Time; alpha "
       "and beta of a step: MPICH, comment "
       "of "
       "MPIR_Iallgather_intra_sched_ring",
       "tiny", ring_of_sips({}), [](Platform& platform) { return play_alpha_beta(platform, 1); }},
      {"ring-step-cut-through", "network",
       "The same with a third link behind the neighbour's end point, which passes flits on as they "
       "come: t_s + l t_h + m t_w, t_h "
       "a flit on "
       "each further link",
       "T = t_s + l t_h + m t_w: " + routing, "tiny", ring_of_sips({"256", "64", "true"}),
       play_cut_through_step},
      {"ring-step-store-and-forward", "network",
       "The same three links with store-and-forward at every node: t_s + (m t_w + t_h) l",
       "T = t_s + (m t_w + t_h) l: " + routing, "tiny", ring_of_sips({"65536", "64", "false"}),
       play_store_and_forward_step},
      {"ring-all-gather", "network",
       "p - 1 steps; a node passes on in each what came whole in the one before "
       "(store-and-forward): (p - 1) (alpha + n beta), n "
       "bytes per "
       "step",
       "Cost = (p-1).alpha + n.((p-1)/p).beta, n bytes in all: MPICH, comment of "
       "MPIR_Iallgather_intra_sched_ring, Algorithm: Ring",
       "tiny", ring_of_sips({}),
       [](Platform& platform) { return play_alpha_beta(platform, nodes - 1); }},
      {"ring-all-reduce", "network",
       "Reduce-scatter and all-gather of n bytes: 2 (p - 1) steps of n/p; at best n/b * 2 (p - "
       "1)/p, the bound of any all-reduce. "
       "alpha is "
       "500 ns of link and a flit in the switch",
       "(p-1).alpha + n.((p-1)/p).beta for each of the two: MPICH, comments of "
       "MPIR_Iallgather_intra_sched_ring and "
       "MPIR_Reduce_scatter "
       "(pairwise exchange). Bound: NCCL tests, doc/PERFORMANCE.md, AllReduce: t = (S/B) * "
       "(2*(n-1)/n) at best, whatever the "
       "algorithm; a "
       "ring reaches it: P. Patarasuk, X. Yuan, Bandwidth optimal all-reduce algorithms for "
       "clusters of workstations, J. Parallel "
       "Distrib. "
       "Comput. 69(2) (2009), pp. 117-124, abstract",
       "tiny", ring_of_sips({}), play_all_reduce}};
}

std::vector<ValidationCase> ring_correlation_cases() {
  return {astra_sim_case("astra-sim-ring-all-gather", "all-gather of 16 MiB", nodes - 1, mib),
          astra_sim_case("astra-sim-ring-all-reduce", "all-reduce of 1 MiB", 2 * (nodes - 1),
                         mib / nodes)};
}

}  // namespace kernbench
