#include "platform/assembly/builtin_components.h"

#include "models/cube/hbm_ctrl.h"
#include "models/cube/m_cpu.h"
#include "models/cube/sram.h"
#include "models/io/io_cpu.h"
#include "models/io/pcie_ep.h"
#include "models/noc/transit.h"

namespace kernbench {

void register_builtin_components(ComponentRegistry& registry) {
  registry.add(implementation_of<Transit>("builtin.forwarding"));
  registry.add(implementation_of<Transit>("builtin.switch"));
  registry.add(implementation_of<Transit>("builtin.noc"));
  registry.add(implementation_of<Transit>("builtin.ucie"));
  registry.add(implementation_of<PcieEp>("builtin.pcie_ep"));
  registry.add(implementation_of<IoCpu>("builtin.io_cpu"));
  registry.add(implementation_of<MCpu>("builtin.m_cpu"));
  registry.add(implementation_of<HbmCtrl>("builtin.hbm_ctrl"));
  registry.add(implementation_of<Sram>("builtin.sram"));
}

}  // namespace kernbench
