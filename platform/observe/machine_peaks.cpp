#include "platform/observe/machine_peaks.h"

namespace kernbench {
namespace {

double decimal_of(const Attributes& attributes, const char* name) {
  return attributes.has(name) ? attributes.decimal(name).to_double() : 0.0;
}

const Attributes& attributes_of(const Graph& graph, const std::string& node) {
  return graph.node(graph.at(node)).attributes();
}

std::optional<Rational> clock_of(const Attributes& attributes) {
  if (attributes.has("clock_ghz")) return attributes.decimal("clock_ghz");
  if (attributes.has("clock_period_ns")) return Rational(1) / attributes.decimal("clock_period_ns");
  return std::nullopt;
}

// Per cycle: as the engine says, or one for each cell of its array; 0: not known.
std::int64_t macs_of(const Attributes& gemm) {
  const bool systolic = gemm.has("timing") && gemm.text("timing") == "systolic";
  if (gemm.has("macs_per_cycle") && !systolic) return gemm.integer("macs_per_cycle");
  return gemm.has("rows") && gemm.has("columns") ? gemm.integer("rows") * gemm.integer("columns")
                                                 : 0;
}

}  // namespace

MacRate mac_rate(const Graph& graph, const std::string& pe) {
  const Attributes& gemm = attributes_of(graph, pe + ".pe_gemm");
  const std::optional<Rational> clock_ghz = clock_of(gemm);
  const std::int64_t macs = macs_of(gemm);
  return clock_ghz && macs > 0 ? MacRate{static_cast<std::uint64_t>(macs), *clock_ghz} : MacRate{};
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
