// The built-in HBM controller: HbmController with pseudo-channels that are booked burst by burst
// (spec 2.5; models/timing/pseudo_channel_timing.h).
#pragma once

#include "models/cube/hbm_controller.h"
#include "models/timing/pseudo_channel_timing.h"

namespace kernbench {

extern template class HbmController<PseudoChannelTiming>;
using HbmCtrl = HbmController<PseudoChannelTiming>;

}  // namespace kernbench
