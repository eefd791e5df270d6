#include "models/cube/hbm_banked_flow.h"

namespace kernbench {

template class HbmBankedController<HbmBankScheduler>;

}  // namespace kernbench
