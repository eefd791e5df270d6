// Contradictions between keys of topology.yaml, and references to what does not exist.
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "models/base/quote.h"
#include "platform/topology/cube_mesh.h"
#include "platform/topology/machine_reader.h"
#include "platform/topology/nearest_name.h"
#include "platform/topology/node_names.h"
#include "platform/topology/pe_engines.h"

namespace kernbench {
namespace {

class Checks {
 public:
  Checks(const MachineSpec& machine, const ResolvedConfig& config, std::vector<ConfigIssue>& issues)
      : machine_(machine), config_(config), issues_(issues) {}

  void all() {
    sips();
    io_chiplets();
    for (std::size_t i = 0; i < machine_.sip.io_chiplets.size(); ++i) cube_ports(i);
    ual_links();
    pe_layout();
    memory_map();
    geometry();
    placement();
    pe_links();
    tlm_initiators();
  }

 private:
  void fault(const std::string& key, std::string message) {
    issues_.push_back(issue_at(config_.place(key), key, std::move(message)));
  }
  bool sound(std::initializer_list<const char*> numbers) const {
    return std::all_of(numbers.begin(), numbers.end(),
                       [&](const char* key) { return config_.number(key) != nullptr; });
  }

  void sips() {
    const SipsSpec& sips = machine_.system.sips;
    if (!sound({"system.sips.count"}) || config_.text("system.sips.topology") == nullptr ||
        sips.w * sips.h == sips.count)
      return;
    const bool given = sound({"system.sips.w"}) || sound({"system.sips.h"});
    const std::string count = std::to_string(sips.count);
    if (given) {
      const std::string found = std::to_string(sips.w) + " x " + std::to_string(sips.h);
      fault(sound({"system.sips.w"}) ? "system.sips.w" : "system.sips.h",
            "found w x h = " + found + ", allowed is w * h = count = " + count);
    } else {
      fault("system.sips.count", "found " + count + ", which is no square; a " +
                                     std::string(name_of(sips.topology)) + " of it needs w and h");
    }
  }

  // In a physical address a chiplet is known by its die number, in names by its id (spec 3.1:
  // io{die - 16}).
  void io_chiplets() {
    std::map<char, int> per_side;
    for (std::size_t i = 0; i < machine_.sip.io_chiplets.size(); ++i) {
      const IoChipletSpec& io = machine_.sip.io_chiplets[i];
      const std::string path = "sip.io_chiplets." + std::to_string(i);
      const std::string id = "io" + std::to_string(i);
      if (!io.id.empty() && io.id != id)
        fault(path + ".id", "found " + quote(io.id) + ", allowed is " + id +
                                ": chiplets are io0, io1, ... in the order of the list");
      if (io.side != '?' && ++per_side[io.side] == 3) {
        fault(path + ".side", std::string("found a third IO chiplet on side ") + io.side +
                                  "; allowed are two per side");
      }
    }
  }

  void cube_ports(std::size_t chiplet) {
    const IoChipletSpec& io = machine_.sip.io_chiplets[chiplet];
    std::set<std::string> phys;
    for (std::size_t i = 0; i < io.cube_ports.size(); ++i) {
      const CubePortSpec& port = io.cube_ports[i];
      const std::string path =
          "sip.io_chiplets." + std::to_string(chiplet) + ".cube_ports." + std::to_string(i);
      if (!port.phy.empty() && !phys.insert(port.phy).second)
        fault(path + ".phy",
              "found " + quote(port.phy) + " a second time; PHYs of a chiplet are unique");
      if (!sound({"sip.cube_mesh.w", "sip.cube_mesh.h"}) ||
          config_.number(path + ".cube.xy.0") == nullptr ||
          config_.number(path + ".cube.xy.1") == nullptr)
        continue;
      const std::string xy = "[" + std::to_string(port.x) + ", " + std::to_string(port.y) + "]";
      const SipSpec& sip = machine_.sip;
      if (port.x >= sip.mesh_w || port.y >= sip.mesh_h) {
        fault(path + ".cube.xy", "found cube " + xy + ", which does not exist; the mesh is " +
                                     std::to_string(sip.mesh_w) + " x " +
                                     std::to_string(sip.mesh_h));
        continue;
      }
      if (port.cube_side == '?') continue;
      const bool outer = (port.cube_side == 'N' && port.y == 0) ||
                         (port.cube_side == 'S' && port.y == sip.mesh_h - 1) ||
                         (port.cube_side == 'W' && port.x == 0) ||
                         (port.cube_side == 'E' && port.x == sip.mesh_w - 1);
      const std::string where = std::string("side ") + port.cube_side + " of cube " + xy;
      if (!outer) {
        fault(path + ".cube_side", "found " + where +
                                       ", which is joined to the neighbouring cube; allowed are "
                                       "ports on the rim of the mesh");
      } else if (!taken_.insert(where).second) {
        fault(path + ".cube_side", "found " + where + " a second time; a UCIe port has one peer");
      }
    }
  }

  // A key of UAL is there exactly where it means something.
  void ual_links() {
    for (std::size_t i = 0; i < machine_.sip.io_chiplets.size(); ++i) {
      const std::string chiplet = "sip.io_chiplets." + std::to_string(i);
      needed(machine_.sip.io_chiplets[i].ual_ep.has_value(),
             chiplet + ".links.ual_ep_to_noc_bw_gbs", "this chiplet");
    }
    const std::string link = "system.links.io_ual_to_switch";
    const bool ual = machine_.sip.has_ual();
    if (!ual && config_.has(link)) return needed(ual, link, "every IO chiplet");
    for (const char* key : {".bw_gbs", ".distance_mm"}) needed(ual, link + key, "");
  }
  void needed(bool ual, const std::string& key, const std::string& where) {
    if (ual && !config_.has(key))
      fault(key, "the key is missing; an IO chiplet with a ual_ep needs it");
    if (!ual && config_.has(key))
      fault(key, "found a link of a ual_ep, which " + where +
                     " is without; allowed with components.ual_ep");
  }

  void pe_layout() {
    std::set<std::string> corners;
    for (std::size_t i = 0; i < machine_.cube.pe_layout.corners.size(); ++i) {
      const std::string& corner = machine_.cube.pe_layout.corners[i];
      if (!corner.empty() && !corners.insert(corner).second) {
        fault("cube.pe_layout.corners." + std::to_string(i),
              "found " + corner + " a second time; corners are unique");
      }
    }
    if (!sound({"cube.pe_layout.pe_per_corner", "cube.memory_map.hbm_slices_per_cube"}) ||
        corners.empty())
      return;
    const int pes = machine_.cube.pe_layout.pes();
    const std::int64_t slices = machine_.cube.memory_map.hbm_slices_per_cube;
    if (slices != pes) {
      fault("cube.memory_map.hbm_slices_per_cube",
            "found " + std::to_string(slices) +
                ", allowed is one per PE: corners x pe_per_corner = " + std::to_string(pes));
    }
  }

  void memory_map() {
    const MemoryMapSpec& map = machine_.cube.memory_map;
    const std::string path = "cube.memory_map.";
    if (sound({"cube.memory_map.hbm_pseudo_channels", "cube.memory_map.hbm_channels_per_pe",
               "cube.memory_map.hbm_slices_per_cube"}) &&
        map.hbm_pseudo_channels != map.hbm_channels_per_pe * map.hbm_slices_per_cube) {
      fault(path + "hbm_pseudo_channels",
            "found " + std::to_string(map.hbm_pseudo_channels) +
                ", allowed is hbm_channels_per_pe x hbm_slices_per_cube = " +
                std::to_string(map.hbm_channels_per_pe) + " x " +
                std::to_string(map.hbm_slices_per_cube) + " = " +
                std::to_string(map.hbm_channels_per_pe * map.hbm_slices_per_cube));
    }
    if (sound({"cube.links.hbm_to_router_bw_gbs", "cube.memory_map.hbm_channels_per_pe",
               "cube.memory_map.hbm_channel_bw_gbs"})) {
      const Rational link = *config_.number("cube.links.hbm_to_router_bw_gbs");
      const Rational channels = Rational(map.hbm_channels_per_pe) * map.hbm_channel_bw_gbs;
      if (link != channels) {
        fault("cube.links.hbm_to_router_bw_gbs",
              "found " + link.str() +
                  " GB/s, allowed is hbm_channels_per_pe x hbm_channel_bw_gbs = " +
                  std::to_string(map.hbm_channels_per_pe) + " x " + map.hbm_channel_bw_gbs.str() +
                  " = " + channels.str());
      }
    }
    if (sound({"cube.memory_map.hbm_total_gb_per_cube", "cube.memory_map.hbm_slices_per_cube"}) &&
        (map.hbm_total_gb_per_cube << 30) % map.hbm_slices_per_cube != 0) {
      fault(path + "hbm_total_gb_per_cube", "found " + std::to_string(map.hbm_total_gb_per_cube) +
                                                " GiB, which does not divide into " +
                                                std::to_string(map.hbm_slices_per_cube) +
                                                " equal partitions");
    }
  }

  void geometry() {
    if (!sound({"cube.geometry.cube_mm.w", "cube.geometry.cube_mm.h", "cube.pe_layout.pitch_mm",
                "cube.pe_layout.pe_per_corner", "cube.ucie.n_connections"}))
      return;
    try {
      const std::vector<MeshFault> faults = mesh_faults(machine_.cube);
      for (const MeshFault& found : faults) fault(found.key, found.message);
      if (faults.empty() && !machine_.cube.pe_layout.corners.empty())
        mesh_ = generate_mesh(machine_.cube);
    } catch (const std::overflow_error&) {  // sums and squares of lengths
      fault("cube.geometry",
            "the lengths of the cube have too many digits for its layout to be computed exactly; "
            "allowed are fewer");
    }
  }

  // Of the links inside a PE only those of carries_flits() have a length and a bandwidth.
  void pe_links() {
    for (const EnginePair& pair : pe_internal_pairs()) {
      if (carries_flits(pair)) continue;
      for (const char* attribute : {".bw_gbs", ".distance_mm"}) {
        const std::string key = "cube.pe_template.links." + link_name(pair) + attribute;
        const Rational* value = config_.number(key);
        if (value == nullptr || value->is_zero()) continue;
        fault(key, "found " + value->str() +
                       ", allowed is 0: what these engines tell each other takes no time on the "
                       "way; of the links inside a PE only "
                       "pe_dma_to_pe_tcm and pe_tcm_to_pe_dma carry flits");
      }
    }
  }

  void placement() {
    if (!sound({"cube.geometry.cube_mm.w", "cube.geometry.cube_mm.h"})) return;
    for (const std::string part : {"m_cpu", "sram"}) {
      const std::string path = "cube.placement." + part + ".pos_mm";
      const PointMm& at = part == "m_cpu" ? machine_.cube.m_cpu_pos_mm : machine_.cube.sram_pos_mm;
      if (at.x > machine_.cube.w_mm || at.y > machine_.cube.h_mm) {
        fault(path, "found [" + at.x.str() + ", " + at.y.str() +
                        "], which is outside the cube of " + machine_.cube.w_mm.str() + " x " +
                        machine_.cube.h_mm.str() + " mm");
      }
    }
  }

  // The names that a TLM-2.0 initiator may be attached to.
  std::vector<std::string> attachments(const CubeMesh& mesh) const {
    std::vector<std::string> names;
    for (int sip = 0; sip < machine_.system.sips.count; ++sip) {
      for (const IoChipletSpec& io : machine_.sip.io_chiplets)
        names.push_back(node_names::io(sip, io.id, "io_noc"));
      for (int cube = 0; cube < machine_.sip.cubes(); ++cube) {
        for (int row = 0; row < mesh.rows(); ++row) {
          for (int col = 0; col < mesh.cols(); ++col) {
            if (mesh.has_router({row, col}))
              names.push_back(node_names::router(sip, cube, row, col));
          }
        }
      }
    }
    return names;
  }

  // Whether a node or a level of the hierarchy may have this name already; a little stricter than
  // it need be.
  static bool is_reserved(const std::string& id) {
    constexpr std::array<const char*, 11> names{"m_cpu",     "sram",     "hbm_ctrl",      "pcie_ep",
                                                "ual_ep",    "io_cpu",   "io_noc",        "ucie-*",
                                                "io_ucie-*", "pe[0-9]*", "r[0-9]*c[0-9]*"};
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return ::fnmatch(name, id.c_str(), 0) == 0; });
  }

  void tlm_initiators() {
    if (machine_.system.tlm_initiators.empty()) return;
    const bool laid_out =
        mesh_.has_value() && sound({"system.sips.count", "sip.cube_mesh.w", "sip.cube_mesh.h"});
    const std::vector<std::string> allowed =
        laid_out ? attachments(*mesh_) : std::vector<std::string>{};
    std::set<std::string> nodes;
    for (std::size_t i = 0; i < machine_.system.tlm_initiators.size(); ++i) {
      const TlmInitiatorSpec& initiator = machine_.system.tlm_initiators[i];
      const std::string path = "system.tlm_initiators." + std::to_string(i);
      if (!initiator.id.empty() && is_reserved(initiator.id)) {
        fault(path + ".id",
              "found " + quote(initiator.id) + ", which is or may be the name of another node");
      } else if (!initiator.id.empty() &&
                 !nodes.insert(node_names::beside(initiator.attach, initiator.id)).second) {
        fault(path + ".id", "found " + quote(initiator.id) + " a second time beside " +
                                printable(initiator.attach) + "; ids are unique in their scope");
      }
      if (laid_out && config_.text(path + ".attach") != nullptr &&
          std::find(allowed.begin(), allowed.end(), initiator.attach) == allowed.end()) {
        fault(path + ".attach", "found " + quote(initiator.attach) +
                                    ", allowed is the name of a router of a cube or of an io_noc" +
                                    did_you_mean(initiator.attach, allowed));
      }
    }
  }

  const MachineSpec& machine_;
  const ResolvedConfig& config_;
  std::vector<ConfigIssue>& issues_;
  std::set<std::string> taken_;  // cube ports in use
  std::optional<CubeMesh> mesh_;
};

}  // namespace

void check_machine(const MachineSpec& machine, const ResolvedConfig& config,
                   std::vector<ConfigIssue>& issues) {
  Checks(machine, config, issues).all();
}

}  // namespace kernbench
