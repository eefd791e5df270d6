// Contradictions detectable once a cube is laid out, and references to nodes that do not exist.
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
    tlm_modules();
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

  // Among the links inside a PE only those of carries_flits() have a length and a bandwidth.
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
        key, fmt::format(
                 "found {}, allowed is 0: communication between these engines takes no time; "
                 "of the links inside a PE only pe_dma_to_pe_tcm and pe_tcm_to_pe_dma carry flits",
                 value.str()));
  }

  // Nodes that a plain TLM-2.0 module may be attached to.
  std::vector<std::string> attachments(const CubeMesh& mesh) const {
    std::vector<std::string> names{std::string(node_names::switch0)};
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

  // True if a node or a level of the hierarchy may already have this name; slightly stricter than
  // necessary.
  static bool is_reserved(const std::string& id) {
    constexpr std::array<const char*, 12> names{
        "switch0", "m_cpu",  "sram",   "hbm_ctrl",  "pcie_ep",  "ual_ep",
        "io_cpu",  "io_noc", "ucie-*", "io_ucie-*", "pe[0-9]*", "r[0-9]*c[0-9]*"};
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return ::fnmatch(name, id.c_str(), 0) == 0; });
  }

  void tlm_modules() {
    const SystemSpec& system = machine_.system;
    if (system.tlm_initiators.empty() && system.tlm_targets.empty()) return;
    const bool laid_out = mesh_.has_value() && faults_.sound(system.sips.count, machine_.sip.mesh_w,
                                                             machine_.sip.mesh_h);
    if (laid_out) attachments_ = attachments(*mesh_);
    for (const TlmInitiatorSpec& initiator : system.tlm_initiators)
      tlm_module(initiator.id, initiator.attach);
    for (const TlmTargetSpec& target : system.tlm_targets) tlm_module(target.id, target.attach);
  }
  void tlm_module(const std::string& id, const std::string& attach) {
    if (!id.empty() && is_reserved(id)) {
      faults_.add(id,
                  fmt::format("found {}, which is or may be the name of another node", quote(id)));
    } else if (!id.empty() && !tlm_nodes_.insert(node_names::attached_to(attach, id)).second) {
      faults_.add(id,
                  fmt::format("found {} a second time next to {}; ids are unique in their scope",
                              quote(id), printable(attach)));
    }
    if (!attachments_.empty() && faults_.sound(attach) &&
        std::find(attachments_.begin(), attachments_.end(), attach) == attachments_.end()) {
      faults_.add(attach, fmt::format("found {}, allowed is the name of a router of a cube, of an "
                                      "io_noc or of the switch{}",
                                      quote(attach), did_you_mean(attach, attachments_)));
    }
  }

  const MachineSpec& machine_;
  MachineFaults& faults_;
  std::optional<CubeMesh> mesh_;
  std::vector<std::string> attachments_;  // empty: the machine is not laid out
  std::set<std::string> tlm_nodes_;
};

}  // namespace

void check_layout(const MachineSpec& machine, MachineFaults& faults) {
  LayoutChecks(machine, faults).all();
}

}  // namespace kernbench
