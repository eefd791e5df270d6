#include "models/cube/hbm_ctrl.h"

namespace kernbench {

template class HbmController<PseudoChannelTiming>;

}  // namespace kernbench
