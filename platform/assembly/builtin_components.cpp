#include "platform/assembly/builtin_components.h"

#include "models/cube/cube_components.h"
#include "models/io/io_components.h"
#include "models/noc/pipelined_router.h"
#include "models/noc/vc_router.h"
#include "models/pe/pe_components.h"
#include "models/rtl/rtl_components.h"
#include "models/tlm/tlm_bridges.h"

namespace kernbench {

void register_fabric_components(ComponentRegistry& registry) {
  for (const char* name : {"builtin.forwarding", "builtin.noc", "builtin.switch", "builtin.ucie"})
    registry.add(router_implementation(name));
  registry.add(implementation_of<VcRouter>("builtin.vc_router"));
  register_io_components(registry);
  register_cube_components(registry);
}

void register_builtin_components(ComponentRegistry& registry, const ExternalModules& modules) {
  register_fabric_components(registry);
  register_tlm_bridges(registry, modules);
  register_pe_components(registry);
  register_rtl_components(registry);
}

}  // namespace kernbench
