#include "models/cube/sram.h"

namespace kernbench {

template class MemoryNode<FixedLatency>;

}  // namespace kernbench
