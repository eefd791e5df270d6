// The machine of the HBM references: one cube whose network takes no time, with the channels that a
// reference asks for.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/load_machine.h"

namespace kernbench {

struct HbmStack {
  int channels_per_pe = 8;  // of eight PEs
  std::string channel_gbs = "32";
  int burst_bytes = 256;
  std::string efficiency = "1";
  std::string switch_penalty_ns = "0";
};

// Overrides for every number that these cases rest on, over a topology that users may edit. Nothing
// on the path delays: routers without overhead, mesh without limit, no lengths. What is left is the
// same for every PE.
std::vector<Override> hbm_machine(const HbmStack& stack);

}  // namespace kernbench
