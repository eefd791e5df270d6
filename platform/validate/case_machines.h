// Machines of validation cases, requests played on them, and checks of figures that the Python
// system published.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/topology/load_machine.h"
#include "platform/traffic/traffic_player.h"
#include "platform/validate/validation_case.h"

namespace kernbench {

struct HbmStack {
  int channels_per_pe = 8;  // of eight PEs
  std::string channel_gbs = "32";
  int burst_bytes = 256;
  std::string efficiency = "1";
  std::string switch_penalty_ns = "0";
};

// Overrides for every number that the cases of the groups hbm and figures rest on, over a topology
// that users may edit. Nothing on the path delays: routers without overhead, mesh without limit, no
// lengths. What is left is the same for every PE.
std::vector<Override> hbm_machine(const HbmStack& stack);

// Overrides for every number of the default machine that the figures of the Python system rest on,
// over a topology that users may edit. `sips`: value of system.sips.
std::vector<Override> our_machine(const std::string& sips = "{count: 1, topology: ring_1d}");

// The same, where pe_dma takes no time of its own, as in the Python system (ADR-0014 D8), and wires
// take none: its figures of transfers in a SIP have no trace of a propagation delay.
std::vector<Override> source_machine();

std::vector<Override> with(std::vector<Override> machine, const std::vector<Override>& changes);

// A quantity that is as published: `half_digit` is half a unit of the last digit of the figure.
ValidationCheck published_check(std::string quantity, std::string unit, double published,
                                double half_digit, double simulated);

// A quantity that differs from the published figure: `formula` derives `expected`, `reason`
// explains the difference.
ValidationCheck differing_check(std::string quantity, std::string unit, double published,
                                std::string formula, double expected, std::string reason,
                                double simulated);

// The same, where `expected` is a bound and `reason` explains the deviation from it.
ValidationCheck bound_check(Relation relation, ValidationCheck check);

// Requests that follow the end of another, at that very instant, ids ignored. May be empty.
using FollowUp = std::function<std::vector<TrafficRequest>(const TrafficResult&)>;

// Ids are given in order of issue; `first` ascends in time. By id. Throws what ended the run.
std::vector<TrafficResult> play_requests(Platform& platform, std::vector<TrafficRequest> first,
                                         FollowUp follow_up = {});

}  // namespace kernbench
