// The virtual-channel router (spec 2.10) against BookSim 2: latency and accepted rate of a mesh
// (docs/correlation.md).
#include <fmt/format.h>

#include "platform/probe/child_process.h"
#include "platform/validate/case_machines.h"
#include "platform/validate/router_mesh.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

constexpr MeshPattern uniform = MeshPattern::uniform, transpose = MeshPattern::transpose,
                      hot_spot = MeshPattern::hot_spot;

// Figures of BookSim. A load below saturation has a latency in cycles, one above it an accepted
// rate in flits per node and cycle.
struct Latency {
  double load, cycles;
  int measured = 1500;
  int percent = 2;  // tolerance
};
struct Accepted {
  double load, rate;
};
struct MeshFigures {
  MeshPattern pattern;
  std::uint32_t flits;
  std::vector<Latency> latencies;
  std::vector<Accepted> accepted;
};

// In a process of its own: a machine runs once.
MeshResult play_in_child(Platform& platform, const MeshTraffic& traffic) {
  const std::string text = ChildProcess([&] {
                             const MeshResult result = play_router_mesh(platform, traffic);
                             return fmt::format("{} {}", result.latency_cycles, result.accepted);
                           }).value();
  std::size_t end = 0;
  const double latency = std::stod(text, &end);
  return {latency, std::stod(text.substr(end))};
}

std::vector<ValidationCheck> play(Platform& platform, const MeshFigures& figures) {
  constexpr double cycle_at_source = 1;  // there, in which a packet enters its router
  std::vector<ValidationCheck> checks;
  MeshTraffic traffic{figures.pattern, 0, figures.flits};
  for (const Latency& figure : figures.latencies) {
    traffic.load = figure.load;
    traffic.measured = figure.measured;
    checks.push_back(goal_check(
        fmt::format("load {:g}: mean latency", figure.load), "cycles", figure.cycles,
        play_in_child(platform, traffic).latency_cycles + cycle_at_source, 10, figure.percent));
  }
  traffic.warm_up = 2000;
  traffic.measured = 1500;
  for (const Accepted& figure : figures.accepted) {
    traffic.load = figure.load;
    checks.push_back(goal_check(fmt::format("load {:g}: accepted", figure.load), "flits/node/cycle",
                                figure.rate, play_in_child(platform, traffic).accepted, 5, 5));
  }
  return checks;
}

ValidationCase case_of(const char* name, const char* traffic, const MeshFigures& figures) {
  return {
      name,
      "correlation",
      fmt::format("{} of an 8 x 8 mesh, routes in dimension order, 8 virtual channels of 8 flits, "
                  "islip: the same mean latency below saturation, the same rate above it",
                  traffic),
      "BookSim 2, commit 28f4329: src/examples/mesh88_lat with num_vcs 8, vc_buf_size 8, islip, "
      "routing_delay 0, vc_alloc_delay, sw_alloc_delay and st_final_delay 1, input_speedup 1, "
      "wait_for_tail_credit 0 (docs/correlation.md)",
      "tiny",
      // Requests use one half of the channels.
      {{"cube.components.router",
        "{impl: builtin.vc_router, attrs: {clock_ghz: 1, pipeline_cycles: 2, virtual_channels: 16, "
        "buffer_flits: 8, allocator: islip, islip_iterations: 1}}"},
       {"overrides", "[]"}},
      [figures](Platform& platform) { return play(platform, figures); }};
}

}  // namespace

std::vector<ValidationCase> network_correlation_cases() {
  return {case_of("booksim-uniform", "Uniform traffic",
                  {uniform,
                   1,
                   {{0.005, 26.78, 12000},
                    {0.1, 27.20},
                    {0.2, 27.83},
                    {0.3, 29.27},
                    {0.35, 31.10},
                    {0.4, 38.34, 3000, 4}},
                   {{0.44, 0.428}, {0.6, 0.400}}}),
          case_of("booksim-packets", "Uniform traffic in packets of four flits",
                  {uniform, 4, {{0.1, 31.39}, {0.2, 34.50}, {0.3, 41.26}}, {{0.6, 0.408}}}),
          case_of("booksim-transpose", "Transpose traffic",
                  {transpose, 1, {{0.05, 27.25}, {0.1, 27.38}, {0.12, 27.79}}, {{0.3, 0.2183}}}),
          case_of("booksim-hot-spot", "Traffic with a hot spot, node 36 with weight 4,",
                  {hot_spot, 1, {{0.1, 27.07}, {0.2, 27.98}}, {{0.4, 0.2301}}})};
}

}  // namespace kernbench
