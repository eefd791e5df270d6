#include "platform/validate/case_machines.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

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

std::vector<Override> our_machine(const std::string& sips) {
  return {
      {"system.sips", sips},
      {"system.ns_per_mm", "0.1"},
      {"system.flit_bytes", "256"},
      {"system.switch", "{impl: builtin.switch, attrs: {overhead_ns: 5}}"},
      {"system.links.io_ep_to_switch", "{bw_gbs: 64, distance_mm: 50}"},
      {"sip.cube_mesh", "{w: 4, h: 4}"},
      {"sip.links.ucie_seam", "{bw_gbs: 512, distance_mm: 1}"},
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.overhead_ns", "5"},
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through", "false"},
      {"sip.io_chiplets.io0.components.io_noc.attrs.overhead_ns", "0"},
      {"sip.io_chiplets.io0.components.io_ucie.attrs.overhead_ns", "8"},
      {"sip.io_chiplets.io0.components.conn.attrs.overhead_ns", "0"},
      {"sip.io_chiplets.io0.links",
       "{pcie_ep_to_noc_bw_gbs: 256, per_connection_bw_gbs: 128, n_connections: 4}"},
      {"cube.geometry.cube_mm", "{w: 17, h: 14}"},
      {"cube.pe_layout", "{corners: [NW, NE, SW, SE], pe_per_corner: 2, pitch_mm: 2.5}"},
      {"cube.ucie.n_connections", "4"},
      {"cube.ucie.per_connection_bw_gbs", "128"},
      {"cube.ucie.port.attrs.overhead_ns", "8"},
      {"cube.ucie.conn.attrs.overhead_ns", "0"},
      {"cube.memory_map",
       "{address_model: va, hbm_mapping_mode: n_to_one, hbm_pseudo_channels: 64, "
       "hbm_channels_per_pe: 8, hbm_channel_bw_gbs: 32, hbm_slices_per_cube: 8, "
       "hbm_total_gb_per_cube: 48}"},
      {"cube.components.router", "{impl: builtin.forwarding, attrs: {overhead_ns: 2}}"},
      {"cube.components.sram", "{impl: builtin.sram, attrs: {overhead_ns: 2, size_mb: 32}}"},
      {"cube.components.hbm_ctrl",
       "{impl: builtin.hbm_ctrl, attrs: {overhead_ns: 0, burst_bytes: 256, switch_penalty_ns: 0, "
       "efficiency: 1}}"},
      {"cube.links",
       "{router_link_bw_gbs: 256, pe_to_router_bw_gbs: 256, hbm_to_router_bw_gbs: 256, "
       "sram_to_router_bw_gbs: 128}"},
      {"cube.pe_template.components.pe_dma.attrs.overhead_ns", "1"},
      {"cube.ucie.lane_select", "spread"},
      {"overrides", "[]"}};
}

std::vector<Override> source_machine() {
  return with(our_machine(), {{"cube.pe_template.components.pe_dma.attrs.overhead_ns", "0"},
                              {"system.ns_per_mm", "0"}});
}

std::vector<Override> with(std::vector<Override> machine, const std::vector<Override>& changes) {
  machine.insert(machine.end(), changes.begin(), changes.end());
  return machine;
}

ValidationCheck published_check(std::string quantity, std::string unit, double published,
                                double half_digit, double simulated) {
  ValidationCheck check = differing_check(std::move(quantity), std::move(unit), published,
                                          fmt::format("{:g}", published), published, "", simulated);
  check.tolerance = half_digit;
  check.allowance = half_digit > 0 ? "rounding of the published figure" : "";
  return check;
}

ValidationCheck differing_check(std::string quantity, std::string unit, double published,
                                std::string formula, double expected, std::string reason,
                                double simulated) {
  ValidationCheck check;
  check.quantity = std::move(quantity);
  check.formula = std::move(formula);
  check.unit = std::move(unit);
  check.expected = expected;
  check.simulated = simulated;
  check.tolerance = expected * 1e-6;
  check.allowance = "links without length take 1 fs";
  check.remark = std::move(reason);
  check.published = published;
  return check;
}

ValidationCheck goal_check(std::string quantity, std::string unit, double published,
                           double simulated, int goal_percent, int percent) {
  ValidationCheck check =
      published_check(std::move(quantity), std::move(unit), published, 0, simulated);
  check.tolerance = published * percent / 100;
  check.allowance = fmt::format("the goal, {} %", goal_percent);
  if (percent < goal_percent) check.allowance += fmt::format(", narrowed to {} %", percent);
  return check;
}

ValidationCheck bound_check(Relation relation, ValidationCheck check) {
  check.relation = relation;
  check.tolerance = 0;
  check.allowance = "";
  return check;
}

namespace {

class Requests final : public TrafficSource {
 public:
  Requests(std::vector<TrafficRequest> first, FollowUp follow_up)
      : waiting_(first.begin(), first.end()), follow_up_(std::move(follow_up)) {}

  bool next(TrafficRequest& request) override {
    if (waiting_.empty()) return false;
    request = waiting_.front();
    request.id = id_++;
    waiting_.pop_front();
    return true;
  }
  void ended(const TrafficResult& result) override {
    if (!follow_up_) return;
    for (TrafficRequest& request : follow_up_(result)) {
      request.issue = result.end;
      waiting_.push_back(request);
    }
  }

 private:
  std::deque<TrafficRequest> waiting_;
  FollowUp follow_up_;
  std::uint32_t id_ = 0;
};

class Results final : public TrafficListener {
 public:
  void in_order(const TrafficResult& result) override { list.push_back(result); }
  std::vector<TrafficResult> list;
};

}  // namespace

std::vector<TrafficResult> play_requests(Platform& platform, std::vector<TrafficRequest> first,
                                         FollowUp follow_up) {
  Requests requests(std::move(first), std::move(follow_up));
  Results results;
  TrafficPlayer player("traffic", platform, requests, results);
  const RunResult result = platform.run();
  if (result.cause) std::rethrow_exception(result.cause);
  player.check_all_ended();
  return std::move(results.list);
}

}  // namespace kernbench
