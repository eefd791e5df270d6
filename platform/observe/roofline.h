// Roofline of a kernel or a composite (spec 11.3): the time that its work would take on each kind
// of resource alone at the peak rate, as a share of the time that it took.
//
//   compute  multiply-accumulates / peak rate of PE_GEMM, and the service times of PE_MATH: added
//            where they share the accel_slot, else the larger; of the PE that has most
//   tcm      bytes of FETCH or STORE / rate of the channel of PE_TCM; of the PE that has most
//   hbm      bytes of the PEs' own transfers from and to a partition / its peak rate; of the
//            partition that has most
//   link     bytes of these transfers over a link / its bandwidth; of the link that has most
//
// The kind with the largest share is the nearest; what limits the kernel says limits.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/small_vector.h"
#include "models/base/units.h"
#include "models/protocol/path.h"
#include "platform/observe/activity_windows.h"
#include "platform/topology/graph.h"

namespace kernbench {

// --- Peak rates of a machine, from the attributes of its nodes

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

// --- Rooflines

enum class Bound : std::uint8_t { compute, tcm, hbm, link };
inline constexpr std::size_t roof_count = 4;
const char* name_of(Bound bound);

class Roofline {
 public:
  Fs window = 0;                           // the time that it took
  std::array<double, roof_count> at_ns{};  // by Bound
  std::string hbm, link;                   // those that have most; empty: none, or several launches

  // Of several launches one after the other.
  Roofline& operator+=(const Roofline& other);

  double share(Bound bound) const;  // of the window; at most 1
  Bound nearest() const;            // the largest share
};

// Bytes of the transfers of a PE that went one way with data.
struct CarriedBytes {
  const Path* path = nullptr;
  std::uint64_t bytes = 0;
};

// Of a kernel or a composite on one PE.
struct PeWork {
  const PePeaks* peaks = nullptr;
  std::uint64_t macs = 0;
  Fs gemm = 0, math = 0;  // in service
  std::uint64_t fetched_bytes = 0, stored_bytes = 0;
  SmallVector<CarriedBytes, 4> carried;  // in the order of their first bytes

  void carry(const Path& path, std::uint64_t bytes);
};

// Of work on several PEs at a time, in `window`.
Roofline roofline_of(const std::vector<const PeWork*>& work, Fs window, const Graph& graph);

}  // namespace kernbench
