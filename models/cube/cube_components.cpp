#include "models/cube/cube_components.h"

#include "models/cube/hbm_banked.h"
#include "models/cube/hbm_controller.h"
#include "models/cube/sram.h"

namespace kernbench {

void register_cube_components(ComponentRegistry& registry) {
  registry.add(m_cpu_implementation());
  registry.add(implementation_of<HbmBanked>("builtin.hbm_banked"));
  registry.add(implementation_of<HbmCtrl>("builtin.hbm_ctrl"));
  registry.add(implementation_of<Sram>("builtin.sram"));
}

}  // namespace kernbench
