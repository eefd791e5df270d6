// Operators of a run: launches and collectives of one name, with the time of the SIPs in use split
// between them (docs/models.md).
//
// Each instant of each SIP belongs to the operators that compute there, in equal parts; without one
// to the collectives and messages in flight, in equal parts; else to none. Shares of the operators
// and of the time without a launch therefore add up to 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/events/run_rows.h"
#include "platform/observe/roofline.h"

namespace kernbench {

struct OperatorTimes {
  std::string name;
  bool is_communication = false;
  std::uint64_t launches = 0;  // one per SIP
  // Summed over the SIPs: time in which at least one launch was in progress; of communication
  // hidden: the part in which the SIP computed, exposed: the rest.
  Fs time = 0, exposed = 0, hidden = 0;
  double share = 0;  // share of the time of all SIPs
  std::uint64_t macs = 0, hbm_bytes = 0, remote_bytes = 0;
  Roofline roofline;  // sum over the launches

  std::uint64_t flops() const { return 2 * macs; }
  // "compute", "TCM", "HBM", "link" (of communication "communication"): the nearest roof, if at
  // least half of the time is needed at its peak rate; else "latency".
  std::string bound() const;
};

struct OperatorSummary {
  std::size_t sips = 0;                           // SIPs in use
  Fs begin = 0, end = 0;                          // first start, last end
  std::vector<OperatorTimes> operators;           // by share, then by first start
  double idle_share = 0;                          // no launch in progress
  Fs communication = 0, exposed = 0, hidden = 0;  // summed over SIPs; concurrent ones count once
  std::uint64_t macs = 0, hbm_bytes = 0, tokens = 0;
  double peak_macs_per_ns = 0, peak_hbm_gbs = 0;  // sums over the SIPs in use; 0: unknown

  Fs window() const { return end - begin; }
  double mfu() const;              // FLOPs / (window * peak rate)
  double hbm_utilisation() const;  // bytes / (window * peak rate)
  double tokens_per_s() const;
};

OperatorSummary operators_of(const std::vector<LaunchWorkRow>& launches);

}  // namespace kernbench
