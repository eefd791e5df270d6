// Roofline of a kernel or a composite (spec 11.3): the time of its work on each kind of resource
// alone at the peak rate, as a share of the measured time.
//
//   compute  multiply-accumulates / peak rate of PE_GEMM, and the service times of PE_MATH: added
//            where they share the accel_slot, else the larger; of the PE with the most
//   tcm      bytes of FETCH or STORE / rate of the channel of PE_TCM; of the PE with the most
//   hbm      bytes of the PEs' own transfers from and to a partition / its peak rate; of the
//            partition with the most
//   link     bytes of these transfers over a link / its bandwidth, or the occupancy of a server of
//            a forwarding node by their messages and flits; of the link or node with the most
//
// The kind with the largest share is the nearest. The limit of the kernel is estimated by limits.h.
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

// Rate of a PE's MAC array, e.g. of "sip0.cube0.pe0", from its macs_per_cycle, or rows x columns of
// an array, and clock_period_ns or clock_ghz; 0: an implementation that declares no rate.
MacRate mac_rate(const Graph& graph, const std::string& pe);

// Rates in GB/s = bytes/ns; 0: unlimited or unknown.
struct PePeaks {
  MacRate macs;
  bool shared_slot = true;  // GEMM and MATH share a slot
  double tcm_read_gbs = 0, tcm_write_gbs = 0;
};
PePeaks pe_peaks(const Graph& graph, const std::string& pe);

// Sum over the pseudo-channels of an HBM partition in GB/s; 0: unlimited, or a different timing
// model.
Rational hbm_peak_gbs(const Node& hbm_ctrl);

// --- Rooflines

enum class Bound : std::uint8_t { compute, tcm, hbm, link };
inline constexpr std::size_t roof_count = 4;
const char* name_of(Bound bound);

class Roofline {
 public:
  Fs window = 0;                           // measured time
  std::array<double, roof_count> at_ns{};  // by Bound
  std::string hbm, link;  // the most loaded ones (link: or node); empty: none, or several launches

  // Adds the roofline of a launch that ran before or after.
  Roofline& operator+=(const Roofline& other);

  double share(Bound bound) const;  // share of the window; at most 1
  Bound nearest() const;            // bound with the largest share
};

// Transfers of a PE along one path with data.
struct CarriedBytes {
  const Path* path = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0, flits = 0;
};

// Work of a kernel or a composite on one PE.
struct PeWork {
  const PePeaks* peaks = nullptr;
  std::uint64_t macs = 0;
  Fs gemm = 0, math = 0;  // time in service
  std::uint64_t fetched_bytes = 0, stored_bytes = 0;
  SmallVector<CarriedBytes, 4> carried;  // in the order of their first bytes

  void carry(const Path& path, std::uint64_t bytes, std::uint64_t flits);  // one message
};

// Roofline of work on several concurrent PEs, in `window`.
Roofline roofline_of(const std::vector<const PeWork*>& work, Fs window, const Graph& graph);

}  // namespace kernbench
