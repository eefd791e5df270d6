// Peak rates of a machine, from the attributes of its nodes: the roofs of a roofline (spec 11.3).
#pragma once

#include <optional>
#include <string>

#include "platform/observe/activity_windows.h"
#include "platform/topology/graph.h"

namespace kernbench {

// Of a PE's MAC array, e.g. of "sip0.cube0.pe0", by its macs_per_cycle, or rows x columns of an
// array, and clock_period_ns or clock_ghz; 0: an implementation that names no rate.
MacRate mac_rate(const Graph& graph, const std::string& pe);

// All rates in GB/s = bytes/ns; 0: unlimited, or not known.
struct PePeaks {
  MacRate macs;
  bool shared_slot = true;  // GEMM and MATH take turns
  double tcm_read_gbs = 0, tcm_write_gbs = 0;
};
PePeaks pe_peaks(const Graph& graph, const std::string& pe);

// Of the pseudo-channels of an HBM partition together; 0: unlimited, or another timing.
double hbm_peak_gbs(const Node& hbm_ctrl);

}  // namespace kernbench
