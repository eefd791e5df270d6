#include "models/rtl/verilated_router.h"
// The runtime of Verilator must be included first.
#include <Vkernbench_router.h>

#include "models/rtl/rtl_router.h"

namespace kernbench {

// KERNBENCH_ROUTER_SHAPE: ports, virtual channels, places of each; by router.cmake.
MakeRouterModel built_router() {
  return &VerilatedRouter<Vkernbench_router, KERNBENCH_ROUTER_SHAPE>::make;
}

}  // namespace kernbench
