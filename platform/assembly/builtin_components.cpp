#include "platform/assembly/builtin_components.h"

#include "models/cube/hbm_ctrl.h"
#include "models/cube/m_cpu.h"
#include "models/cube/sram.h"
#include "models/io/io_cpu.h"
#include "models/io/pcie_ep.h"
#include "models/io/ual_ep.h"
#include "models/noc/router.h"
#include "models/pe/pe_components.h"
#include "models/tlm/tlm_initiator_bridge.h"
#include "models/tlm/tlm_target_bridge.h"

namespace kernbench {

void register_fabric_components(ComponentRegistry& registry) {
  registry.add(implementation_of<Router>("builtin.forwarding"));
  registry.add(implementation_of<Router>("builtin.switch"));
  registry.add(implementation_of<Router>("builtin.noc"));
  registry.add(implementation_of<Router>("builtin.ucie"));
  registry.add(implementation_of<PcieEp>("builtin.pcie_ep"));
  registry.add(implementation_of<UalEp>("builtin.ual_ep"));
  registry.add(implementation_of<IoCpu>("builtin.io_cpu"));
  registry.add(implementation_of<MCpu>("builtin.m_cpu"));
  registry.add(implementation_of<HbmCtrl>("builtin.hbm_ctrl"));
  registry.add(implementation_of<Sram>("builtin.sram"));
}

void register_tlm_bridges(ComponentRegistry& registry, const ExternalModules& modules) {
  registry.add(TlmInitiatorBridge::implementation("builtin.tlm_initiator_bridge", modules));
  registry.add(TlmTargetBridge::implementation("builtin.tlm_target_bridge", modules));
}

void register_builtin_components(ComponentRegistry& registry, const ExternalModules& modules) {
  register_fabric_components(registry);
  register_tlm_bridges(registry, modules);
  register_pe_components(registry);
}

}  // namespace kernbench
