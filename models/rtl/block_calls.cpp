#include "models/rtl/block_calls.h"

namespace kernbench {

__thread BlockCalls* BlockCalls::running = nullptr;

}  // namespace kernbench
