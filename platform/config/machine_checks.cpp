// Contradictions between keys of topology.yaml.
#include <fmt/format.h>

#include <map>
#include <set>

#include "models/base/quote.h"
#include "platform/config/machine_reader.h"

namespace kernbench {
namespace {

class Checks {
 public:
  Checks(const MachineSpec& machine, MachineFaults& faults) : machine_(machine), faults_(faults) {}

  void all() {
    sips();
    io_chiplets();
    for (const IoChipletSpec& io : machine_.sip.io_chiplets) cube_ports(io);
    ual_links();
    pe_layout();
    memory_map();
  }

 private:
  void sips() {
    const SipsSpec& sips = machine_.system.sips;
    if (!faults_.sound(sips.count, sips.topology) || sips.w * sips.h == sips.count) return;
    const bool w_given = faults_.sound(sips.w);
    const std::string count = std::to_string(sips.count);
    if (w_given || faults_.sound(sips.h)) {
      const std::string found = fmt::format("{} x {}", sips.w, sips.h);
      faults_.add(w_given ? sips.w : sips.h,
                  fmt::format("found w x h = {}, allowed is w * h = count = {}", found, count));
    } else {
      faults_.add(sips.count,
                  fmt::format("found {}, which is not a square; a {} of it needs w and h", count,
                              name_of(sips.topology)));
    }
  }

  // A physical address identifies a chiplet by its die number, a name by its id (spec 3.1: io{die -
  // 16}).
  void io_chiplets() {
    std::map<char, int> per_side;
    for (std::size_t i = 0; i < machine_.sip.io_chiplets.size(); ++i) {
      const IoChipletSpec& io = machine_.sip.io_chiplets[i];
      const std::string id = "io" + std::to_string(i);
      if (faults_.sound(io.id) && io.id != id)
        faults_.add(
            io.id,
            fmt::format(
                "found {}, allowed is {}: chiplets are io0, io1, ... in the order of the list",
                quote(io.id), id));
      if (faults_.sound(io.side) && ++per_side[io.side] == 3) {
        faults_.add(
            io.side,
            fmt::format("found a third IO chiplet on side {}; allowed are two per side", io.side));
      }
    }
  }

  void cube_ports(const IoChipletSpec& io) {
    std::set<std::string> phys;
    for (const CubePortSpec& port : io.cube_ports) {
      if (faults_.sound(port.phy) && !phys.insert(port.phy).second)
        faults_.add(port.phy, fmt::format("found {} a second time; PHYs of a chiplet are unique",
                                          quote(port.phy)));
      cube_port(port);
    }
  }

  void cube_port(const CubePortSpec& port) {
    const SipSpec& sip = machine_.sip;
    if (!faults_.sound(sip.mesh_w, sip.mesh_h, port.x, port.y)) return;
    const std::string xy = fmt::format("[{}, {}]", port.x, port.y);
    if (port.x >= sip.mesh_w || port.y >= sip.mesh_h) {
      faults_.add_at(faults_.section_of(port.x),
                     fmt::format("found cube {}, which does not exist; the mesh is {} x {}", xy,
                                 sip.mesh_w, sip.mesh_h));
      return;
    }
    if (!faults_.sound(port.cube_side)) return;
    const bool outer = (port.cube_side == 'N' && port.y == 0) ||
                       (port.cube_side == 'S' && port.y == sip.mesh_h - 1) ||
                       (port.cube_side == 'W' && port.x == 0) ||
                       (port.cube_side == 'E' && port.x == sip.mesh_w - 1);
    const std::string where = fmt::format("side {} of cube {}", port.cube_side, xy);
    if (!outer) {
      faults_.add(port.cube_side, fmt::format("found {}, which is joined to the neighbouring cube; "
                                              "allowed are ports on the rim of the mesh",
                                              where));
    } else if (!taken_.insert(where).second) {
      faults_.add(port.cube_side,
                  fmt::format("found {} a second time; a UCIe port has one peer", where));
    }
  }

  // A UAL key is present exactly where it has a meaning.
  void ual_links() {
    for (const IoChipletSpec& io : machine_.sip.io_chiplets)
      needed(io.ual_ep.has_value(), faults_.key_of(io.ual_ep_to_noc_bw_gbs), "this chiplet");
    const LinkSpec& link = machine_.system.io_ual_to_switch;
    const std::string section = faults_.section_of(link.bw_gbs);
    const bool ual = machine_.sip.has_ual();
    if (!ual && faults_.config().has(section)) return needed(ual, section, "every IO chiplet");
    needed(ual, faults_.key_of(link.bw_gbs), "");
    needed(ual, faults_.key_of(link.distance_mm), "");
  }
  void needed(bool ual, const std::string& key, const std::string& where) {
    const bool given = faults_.config().has(key);
    if (ual && !given)
      faults_.add_at(key, "the key is missing; an IO chiplet with a ual_ep needs it");
    if (!ual && given)
      faults_.add_at(
          key, fmt::format(
                   "found a link of a ual_ep, which {} is without; allowed with components.ual_ep",
                   where));
  }

  void pe_layout() {
    const PeLayoutSpec& layout = machine_.cube.pe_layout;
    std::set<std::string> corners;
    for (const std::string& corner : layout.corners) {
      if (faults_.sound(corner) && !corners.insert(corner).second)
        faults_.add(corner, fmt::format("found {} a second time; corners are unique", corner));
    }
    const std::int64_t& slices = machine_.cube.memory_map.hbm_slices_per_cube;
    if (!faults_.sound(layout.pe_per_corner, slices) || corners.empty()) return;
    if (slices != layout.pes()) {
      faults_.add(slices,
                  fmt::format("found {}, allowed is one per PE: corners x pe_per_corner = {}",
                              slices, layout.pes()));
    }
  }

  void memory_map() {
    const MemoryMapSpec& map = machine_.cube.memory_map;
    const std::int64_t channels = map.hbm_channels_per_pe * map.hbm_slices_per_cube;
    if (faults_.sound(map.hbm_pseudo_channels, map.hbm_channels_per_pe, map.hbm_slices_per_cube) &&
        map.hbm_pseudo_channels != channels) {
      faults_.add(
          map.hbm_pseudo_channels,
          fmt::format(
              "found {}, allowed is hbm_channels_per_pe x hbm_slices_per_cube = {} x {} = {}",
              map.hbm_pseudo_channels, map.hbm_channels_per_pe, map.hbm_slices_per_cube, channels));
    }
    const std::optional<Rational>& link = machine_.cube.hbm_to_router_bw_gbs;
    if (faults_.sound(link, map.hbm_channels_per_pe, map.hbm_channel_bw_gbs)) {
      const Rational rate = Rational(map.hbm_channels_per_pe) * map.hbm_channel_bw_gbs;
      if (*link != rate) {
        faults_.add(
            link,
            fmt::format(
                "found {} GB/s, allowed is hbm_channels_per_pe x hbm_channel_bw_gbs = {} x {} = {}",
                link->str(), map.hbm_channels_per_pe, map.hbm_channel_bw_gbs.str(), rate.str()));
      }
    }
    if (faults_.sound(map.hbm_total_gb_per_cube, map.hbm_slices_per_cube) &&
        (map.hbm_total_gb_per_cube << 30) % map.hbm_slices_per_cube != 0) {
      faults_.add(map.hbm_total_gb_per_cube,
                  fmt::format("found {} GiB, which does not divide into {} equal partitions",
                              map.hbm_total_gb_per_cube, map.hbm_slices_per_cube));
    }
  }

  const MachineSpec& machine_;
  MachineFaults& faults_;
  std::set<std::string> taken_;  // cube ports in use
};

}  // namespace

void check_machine(const MachineSpec& machine, MachineFaults& faults) {
  Checks(machine, faults).all();
}

}  // namespace kernbench
