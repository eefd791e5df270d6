#include "platform/observe/machine_peaks.h"

namespace kernbench {
namespace {

double decimal_of(const Attributes& attributes, const char* name) {
  return attributes.has(name) ? attributes.decimal(name).to_double() : 0.0;
}

const Attributes& attributes_of(const Graph& graph, const std::string& node) {
  return graph.node(graph.at(node)).attributes();
}

}  // namespace

MacRate mac_rate(const Graph& graph, const std::string& pe) {
  const Attributes& gemm = attributes_of(graph, pe + ".pe_gemm");
  if (!gemm.has("macs_per_cycle") || !gemm.has("clock_ghz")) return {};
  const bool array = gemm.has("timing") && gemm.text("timing") == "systolic";
  const std::int64_t macs =
      array ? gemm.integer("rows") * gemm.integer("columns") : gemm.integer("macs_per_cycle");
  return {static_cast<std::uint64_t>(macs), gemm.decimal("clock_ghz")};
}

PePeaks pe_peaks(const Graph& graph, const std::string& pe) {
  PePeaks peaks;
  peaks.macs = mac_rate(graph, pe);
  const Attributes& scheduler = attributes_of(graph, pe + ".pe_scheduler");
  if (scheduler.has("shared_accel_slot")) peaks.shared_slot = scheduler.flag("shared_accel_slot");
  const Attributes& tcm = attributes_of(graph, pe + ".pe_tcm");
  peaks.tcm_read_gbs = decimal_of(tcm, "read_bw_gbs");
  peaks.tcm_write_gbs = decimal_of(tcm, "write_bw_gbs");
  return peaks;
}

double hbm_peak_gbs(const Node& hbm_ctrl) {
  const Attributes& attributes = hbm_ctrl.attributes();
  return decimal_of(attributes, "link_bw_gbs") * decimal_of(attributes, "efficiency");
}

}  // namespace kernbench
