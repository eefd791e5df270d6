#include "platform/validate/hbm_machine.h"

#include <fmt/format.h>

namespace kernbench {

std::vector<Override> hbm_machine(const HbmStack& stack) {
  const double partition_gbs = stack.channels_per_pe * std::stod(stack.channel_gbs);
  return {
      {"system.ns_per_mm", "0"},
      {"system.flit_bytes", "256"},
      {"cube.pe_layout.corners", "[NW, NE, SW, SE]"},
      {"cube.pe_layout.pe_per_corner", "2"},
      {"cube.components.router", "{impl: builtin.forwarding, attrs: {overhead_ns: 0}}"},
      {"cube.links.router_link_bw_gbs", "0"},
      {"cube.links.pe_to_router_bw_gbs", "256"},
      {"cube.links.hbm_to_router_bw_gbs", fmt::format("{:g}", partition_gbs)},
      {"cube.memory_map",
       fmt::format("{{address_model: va, hbm_mapping_mode: n_to_one, hbm_pseudo_channels: {}, "
                   "hbm_channels_per_pe: {}, "
                   "hbm_channel_bw_gbs: {}, hbm_slices_per_cube: 8, hbm_total_gb_per_cube: 48}}",
                   8 * stack.channels_per_pe, stack.channels_per_pe, stack.channel_gbs)},
      {"cube.components.hbm_ctrl",
       fmt::format("{{impl: builtin.hbm_ctrl, attrs: {{overhead_ns: 0, num_pcs: {}, burst_bytes: "
                   "{}, switch_penalty_ns: {}, "
                   "efficiency: {}}}}}",
                   stack.channels_per_pe, stack.burst_bytes, stack.switch_penalty_ns,
                   stack.efficiency)},
      {"cube.pe_template.components.pe_dma", "{impl: builtin.pe_dma, attrs: {overhead_ns: 1}}"},
      {"overrides", "[]"}};
}

}  // namespace kernbench
