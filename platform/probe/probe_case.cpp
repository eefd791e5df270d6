#include "platform/probe/probe_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/describe_machine.h"
#include "platform/assembly/machine_routes.h"
#include "platform/config/nearest_name.h"
#include "platform/topology/machine_message.h"
#include "platform/topology/zero_load_latency.h"

namespace kernbench {
namespace {

constexpr int most_hops = 4;

struct CubeAt {
  int x = 0, y = 0;
};

class Catalogue {
 public:
  Catalogue(const Graph& graph, const MachineDescription& machine, Routes& routes)
      : graph_(graph), spec_(graph.spec()), machine_(machine), routes_(routes) {}

  std::vector<ProbeCase> cases() {
    for (const bool write : {true, false}) {
      for (int hops = 1; hops <= most_hops; ++hops) add_host_case(hops, write);
    }
    add_pe_case("pe-local-hbm", {0, 0, 0});
    add_cube_cases();
    add_mesh_cases();
    if (machine_.sips > 1) {
      add_pe_case("pe-cross-sip-hbm", {1, 0, 0});
    } else {
      add_missing("pe-cross-sip-hbm", "the machine has one SIP");
    }
    return std::move(cases_);
  }

 private:
  void add_missing(const std::string& name, const std::string& why) {
    cases_.push_back({name, false, no_node, no_node, why});
  }

  void add_pe_case(const std::string& name, PeId target) {
    cases_.push_back(
        {name, false, machine_.engine({0, 0, 0}, PeEngine::pe_dma), machine_.hbm(target), ""});
  }

  // The chiplet of the host is at one side of the mesh; rows of cubes are counted from there.
  void add_host_case(int hops, bool write) {
    const std::string name = fmt::format("{}-{}hop", write ? "h2d" : "d2h", hops);
    const auto& chiplets = spec_.sip.io_chiplets;
    const auto io0 = std::find_if(chiplets.begin(), chiplets.end(),
                                  [](const IoChipletSpec& chiplet) { return chiplet.id == "io0"; });
    if (io0 == chiplets.end() || io0->cube_ports.empty())
      return add_missing(name, "io0 has no port to a cube");
    const bool side_is_row = io0->side == 'N' || io0->side == 'S';
    const auto first = std::min_element(io0->cube_ports.begin(), io0->cube_ports.end(),
                                        [&](const CubePortSpec& a, const CubePortSpec& b) {
                                          return side_is_row ? a.x < b.x : a.y < b.y;
                                        });
    const int away = (io0->side == 'N' || io0->side == 'W' ? 1 : -1) * (hops - 1);
    const CubeAt cube{first->x + (side_is_row ? 0 : away), first->y + (side_is_row ? away : 0)};
    const SipSpec& sip = spec_.sip;
    if (cube.x < 0 || cube.x >= sip.mesh_w || cube.y < 0 || cube.y >= sip.mesh_h) {
      const int rows = side_is_row ? sip.mesh_h : sip.mesh_w;
      return add_missing(
          name, fmt::format("the mesh of cubes ({} x {}) has {} row{} behind io0's side {}",
                            sip.mesh_w, sip.mesh_h, rows, rows == 1 ? "" : "s", io0->side));
    }
    cases_.push_back(
        {name, write, machine_.pcie_ep(0), machine_.hbm({0, cube.y * sip.mesh_w + cube.x, 0}), ""});
  }

  // 'N' or 'S': the side of the HBM rows on which a PE is.
  char half_of(int pe) const {
    const PeLayoutSpec& layout = spec_.cube.pe_layout;
    return layout.corners[static_cast<std::size_t>(pe / layout.pe_per_corner)][0];
  }

  void add_cube_cases() {
    const char half = half_of(0);
    int same = 0;
    int other = 0;
    for (int pe = machine_.pes - 1; pe > 0; --pe) (half_of(pe) == half ? same : other) = pe;
    if (same > 0) {
      add_pe_case("pe-same-half-hbm", {0, 0, same});
    } else {
      add_missing("pe-same-half-hbm", "PE 0 is alone in its half of the cube");
    }
    if (other > 0) {
      add_pe_case("pe-cross-half-hbm", {0, 0, other});
    } else {
      add_missing("pe-cross-half-hbm", "all PEs of a cube are in one half");
    }
  }

  // Read time for PE 0 of cube 0.
  Fs time_of_read(PeId target) const {
    const Path& path =
        routes_.memory_path(machine_.engine({0, 0, 0}, PeEngine::pe_dma), machine_.hbm(target));
    return zero_load_latency(path, machine_message(graph_, path, false, 0, probe_bytes));
  }

  void add_mesh_cases() {
    const char* const best = "pe-cross-cube-hbm-best";
    const char* const worst = "pe-cross-cube-hbm-worst";
    if (machine_.cubes() == 1) {
      add_missing(best, "a SIP has one cube");
      add_missing(worst, "a SIP has one cube");
      return;
    }
    std::map<Fs, PeId> first_at;  // read time -> first partition with that time
    for (int cube = 1; cube < machine_.cubes(); ++cube) {
      for (int pe = 0; pe < machine_.pes; ++pe)
        first_at.try_emplace(time_of_read({0, cube, pe}), PeId{0, cube, pe});
    }
    add_pe_case(best, first_at.begin()->second);
    if (first_at.size() > 1) {
      add_pe_case(worst, first_at.rbegin()->second);
    } else {
      add_missing(worst, "all partitions of other cubes are as far as the best");
    }
  }

  const Graph& graph_;
  const MachineSpec& spec_;
  const MachineDescription& machine_;
  Routes& routes_;
  std::vector<ProbeCase> cases_;
};

}  // namespace

std::vector<ProbeCase> probe_catalogue(const Graph& graph, const MachineDescription& machine,
                                       Routes& routes) {
  return Catalogue(graph, machine, routes).cases();
}

std::vector<ProbeCase> probe_catalogue(const Graph& graph) {
  const FabricEdges edges(graph);
  MachineRoutes routes(graph, edges);
  return probe_catalogue(graph, describe_machine(graph), routes);
}

std::vector<ProbeCase> select_cases(std::vector<ProbeCase> catalogue,
                                    const std::vector<std::string>& names) {
  if (names.empty()) return catalogue;
  std::vector<std::string> known;
  for (const ProbeCase& probe : catalogue) known.push_back(probe.name);
  for (const std::string& name : names) {
    if (name != "all" && std::find(known.begin(), known.end(), name) == known.end()) {
      throw UsageError(fmt::format("there is no case {}{}; cases: {}", quote(name),
                                   did_you_mean(name, known), fmt::join(known, ", ")));
    }
  }
  if (std::find(names.begin(), names.end(), "all") != names.end()) return catalogue;
  const auto not_named = [&](const ProbeCase& probe) {
    return std::find(names.begin(), names.end(), probe.name) == names.end();
  };
  catalogue.erase(std::remove_if(catalogue.begin(), catalogue.end(), not_named), catalogue.end());
  return catalogue;
}

}  // namespace kernbench
