// Machines of validation cases, requests played on them, and checks of figures published for the
// Python system.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/topology/load_machine.h"
#include "platform/traffic/traffic_player.h"
#include "platform/validate/validation_case.h"

namespace kernbench {

struct HbmStack {
  int channels_per_pe = 8;  // each of eight PEs
  std::string channel_gbs = "32";
  int burst_bytes = 256;
  std::string efficiency = "1";
  std::string switch_penalty_ns = "0";
};

// Overrides for every number that the cases of the groups hbm and figures depend on, over a
// topology that users may edit. Nothing on the path delays: routers without overhead, mesh without
// limit, no lengths. The remaining time is the same for every PE.
std::vector<Override> hbm_machine(const HbmStack& stack);

// Overrides for every number of the default machine that the figures of the Python system depend
// on, over a topology that users may edit. `sips`: value of system.sips.
std::vector<Override> our_machine(const std::string& sips = "{count: 1, topology: ring_1d}");

// Same overrides with a pe_dma without overhead, as in the Python system (ADR-0014 D8), and wires
// without delay: its figures of transfers in a SIP show no propagation delay.
std::vector<Override> source_machine();

std::vector<Override> with(std::vector<Override> machine, const std::vector<Override>& changes);

// Quantity that agrees with the published figure: `half_digit` is half a unit of the last digit of
// the figure.
ValidationCheck published_check(std::string quantity, std::string unit, double published,
                                double half_digit, double simulated);

// Quantity that differs from the published figure: `formula` derives `expected`, `reason` explains
// the difference.
ValidationCheck differing_check(std::string quantity, std::string unit, double published,
                                std::string formula, double expected, std::string reason,
                                double simulated);

// Quantity that agrees with a figure of another simulator, or with its formula, within `percent`,
// at most those of the goal.
ValidationCheck goal_check(std::string quantity, std::string unit, double published,
                           double simulated, int goal_percent, int percent);

// Same check where `expected` is a bound and `reason` explains the deviation from it.
ValidationCheck bound_check(Relation relation, ValidationCheck check);

// Requests issued when a request ends, in the same timestep; ids are ignored. May be empty.
using FollowUp = std::function<std::vector<TrafficRequest>(const TrafficResult&)>;

// Assigns ids in the order of issue; `first` ascends in time. Returns results by id. Throws the
// error that ended the run.
std::vector<TrafficResult> play_requests(Platform& platform, std::vector<TrafficRequest> first,
                                         FollowUp follow_up = {});

}  // namespace kernbench
