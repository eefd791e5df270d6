#include "platform/observe/machine_peaks.h"

#include "platform/config/known_attributes.h"

namespace kernbench {
namespace {

double decimal_of(const Attributes& attributes, const char* name) {
  const auto number = value_in<Rational>(attributes, name);
  return number ? number->to_double() : 0.0;
}

const Attributes& attributes_of(const Graph& graph, const std::string& node) {
  return graph.node(graph.at(node)).attributes();
}

std::optional<std::int64_t> whole_number_in(const Attributes& attributes, const char* name) {
  const auto number = value_in<Rational>(attributes, name);
  return number && number->is_integer() ? std::optional(number->to_int64()) : std::nullopt;
}

// Per cycle: as the engine says, or one for each cell of its array; 0: not known.
std::int64_t macs_of(const Attributes& gemm) {
  const bool systolic = value_in<std::string>(gemm, "timing") == "systolic";
  const auto macs = whole_number_in(gemm, "macs_per_cycle");
  if (macs && !systolic) return *macs;
  const auto rows = whole_number_in(gemm, "rows"), columns = whole_number_in(gemm, "columns");
  return rows && columns ? *rows * *columns : 0;
}

}  // namespace

MacRate mac_rate(const Graph& graph, const std::string& pe) {
  const Attributes& gemm = attributes_of(graph, pe + ".pe_gemm");
  const std::optional<Rational> clock_ghz = clock_ghz_of(gemm);
  const std::int64_t macs = macs_of(gemm);
  return clock_ghz && macs > 0 ? MacRate{static_cast<std::uint64_t>(macs), *clock_ghz} : MacRate{};
}

PePeaks pe_peaks(const Graph& graph, const std::string& pe) {
  PePeaks peaks;
  peaks.macs = mac_rate(graph, pe);
  const Attributes& scheduler = attributes_of(graph, pe + ".pe_scheduler");
  peaks.shared_slot = value_in<bool>(scheduler, "shared_accel_slot").value_or(peaks.shared_slot);
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
