#include "platform/observe/activity_windows.h"

#include <fmt/format.h>

#include <cstring>
#include <systemc>

#include "platform/assembly/machine_root.h"
#include "platform/output/table.h"

namespace kernbench {

std::string text_of(const Window& window) {
  if (window.empty()) return "none";
  return fmt::format("{}  ({} to {})", readable_time(to_ns(window.length())),
                     readable_time(to_ns(window.begin)), readable_time(to_ns(window.end)));
}

bool is_composite(const ExecutedOp& op) {
  return op.tile_id < 0 && std::strncmp(op.name, "composite_", 10) == 0;
}

void PeActivity::add(const ExecutedOp& op) {
  all.add(op.t_start, op.t_end);
  if (op.tile_id >= 0) composite.add(op.t_start, op.t_end);
  if (op.kind != OpKind::gemm || is_composite(op)) return;
  if (op.tile_id < 0) has_dots = true;
  gemm_busy += op.t_end - op.t_start;
  macs += op.macs;
}

void ActivityWindows::write(const ExecutedOp& op) {
  ++operations_;
  if (op.node == nullptr) return;
  PeActivity*& activity = by_node_[op.node];
  if (activity == nullptr) {
    const std::string pe = scope_in_machine(*op.node);
    activity = &by_pe_.try_emplace(pe).first->second;
    activity->pe = pe;
  }
  activity->add(op);
}

ActivitySummary ActivityWindows::summary(const std::function<MacRate(const std::string&)>& rate_of,
                                         const std::vector<ExecutedOp>& in_progress) const {
  ActivitySummary summary;
  Fs windows = 0, gemm = 0;
  double ideal = 0;  // fs
  bool rates_known = true;
  std::map<std::string, PeActivity> by_pe = by_pe_;
  for (const ExecutedOp& op : in_progress) {
    PeActivity& activity = by_pe[scope_in_machine(*op.node)];
    activity.pe = scope_in_machine(*op.node);
    activity.add(op);
  }
  for (const auto& [name, activity] : by_pe) {
    summary.pes.push_back(activity);
    summary.all.add(activity.all.begin, activity.all.end);
    if (!activity.composite.empty())
      summary.composite.add(activity.composite.begin, activity.composite.end);
    if (activity.mac_window().empty()) continue;
    windows += activity.mac_window().length();
    gemm += activity.gemm_busy;
    if (activity.macs == 0) continue;
    const MacRate rate = rate_of(name);
    if (rate.macs_per_cycle == 0) {
      rates_known = false;
      continue;
    }
    ideal += static_cast<double>(activity.macs) /
             (static_cast<double>(rate.macs_per_cycle) * rate.clock_ghz.to_double()) * 1e6;
  }
  if (windows > 0 && gemm > 0) {
    summary.mac_utilisation = static_cast<double>(gemm) / static_cast<double>(windows);
    if (rates_known) summary.useful_efficiency = ideal / static_cast<double>(windows);
  }
  return summary;
}

}  // namespace kernbench
