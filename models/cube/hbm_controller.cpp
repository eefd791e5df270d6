#include "models/cube/hbm_controller.h"

namespace kernbench {

template class HbmController<PseudoChannelTiming>;

}  // namespace kernbench
