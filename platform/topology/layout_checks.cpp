// Contradictions that show once a cube is laid out, and references to nodes that do not exist.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>

#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/config/pe_links.h"
#include "platform/topology/cube_mesh.h"
#include "platform/topology/load_machine.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

class LayoutChecks {
 public:
  LayoutChecks(const MachineSpec& machine, MachineFaults& faults)
      : machine_(machine), faults_(faults) {}

  void all() {
    geometry();
    placement();
    pe_links();
    tlm_initiators();
  }

 private:
  void geometry() {
    const CubeSpec& cube = machine_.cube;
    if (!faults_.sound(cube.w_mm, cube.h_mm, cube.pe_layout.pitch_mm, cube.pe_layout.pe_per_corner,
                       cube.ucie_connections))
      return;
    try {
      const std::vector<MeshFault> faults = mesh_faults(cube);
      for (const MeshFault& found : faults) faults_.add(*found.length, found.message);
      if (faults.empty() && !cube.pe_layout.corners.empty()) mesh_ = generate_mesh(cube);
    } catch (const std::overflow_error&) {  // sums and squares of lengths
      const std::string outline = faults_.section_of(cube.w_mm);
      faults_.add_at(
          outline.substr(0, outline.rfind('.')),
          "the lengths of the cube have too many digits for its layout to be computed exactly; "
          "allowed are fewer");
    }
  }

  void placement() {
    const CubeSpec& cube = machine_.cube;
    if (!faults_.sound(cube.w_mm, cube.h_mm)) return;
    for (const PointMm* at : {&cube.m_cpu_pos_mm, &cube.sram_pos_mm}) {
      if (at->x > cube.w_mm || at->y > cube.h_mm) {
        faults_.add_at(faults_.section_of(at->x),
                       fmt::format("found [{}, {}], which is outside the cube of {} x {} mm",
                                   at->x.str(), at->y.str(), cube.w_mm.str(), cube.h_mm.str()));
      }
    }
  }

  // Of the links inside a PE only those of carries_flits() have a length and a bandwidth.
  void pe_links() {
    for (const EnginePair& pair : pe_internal_pairs()) {
      if (carries_flits(pair)) continue;
      const LinkSpec& link = machine_.cube.pe_links.find(link_name(pair))->second;
      zero(link.bw_gbs.value_or(Rational()), faults_.key_of(link.bw_gbs));
      zero(link.distance_mm, faults_.key_of(link.distance_mm));
    }
  }
  void zero(const Rational& value, const std::string& key) {
    if (value.is_zero()) return;
    faults_.add_at(
        key,
        fmt::format(
            "found {}, allowed is 0: what these engines tell each other takes no time on the way; "
            "of the links inside a PE only pe_dma_to_pe_tcm and pe_tcm_to_pe_dma carry flits",
            value.str()));
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
        mesh_.has_value() &&
        faults_.sound(machine_.system.sips.count, machine_.sip.mesh_w, machine_.sip.mesh_h);
    const std::vector<std::string> allowed =
        laid_out ? attachments(*mesh_) : std::vector<std::string>{};
    std::set<std::string> nodes;
    for (const TlmInitiatorSpec& initiator : machine_.system.tlm_initiators) {
      if (!initiator.id.empty() && is_reserved(initiator.id)) {
        faults_.add(initiator.id,
                    fmt::format("found {}, which is or may be the name of another node",
                                quote(initiator.id)));
      } else if (!initiator.id.empty() &&
                 !nodes.insert(node_names::beside(initiator.attach, initiator.id)).second) {
        faults_.add(initiator.id,
                    fmt::format("found {} a second time beside {}; ids are unique in their scope",
                                quote(initiator.id), printable(initiator.attach)));
      }
      if (laid_out && faults_.sound(initiator.attach) &&
          std::find(allowed.begin(), allowed.end(), initiator.attach) == allowed.end()) {
        faults_.add(
            initiator.attach,
            fmt::format("found {}, allowed is the name of a router of a cube or of an io_noc{}",
                        quote(initiator.attach), did_you_mean(initiator.attach, allowed)));
      }
    }
  }

  const MachineSpec& machine_;
  MachineFaults& faults_;
  std::optional<CubeMesh> mesh_;
};

}  // namespace

void check_layout(const MachineSpec& machine, MachineFaults& faults) {
  LayoutChecks(machine, faults).all();
}

}  // namespace kernbench
