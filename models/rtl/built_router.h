// The router of rtl.router, which Verilator has made when kernbench was built.
#pragma once

#include "models/rtl/router_model.h"

namespace kernbench {

MakeRouterModel built_router();

}  // namespace kernbench
