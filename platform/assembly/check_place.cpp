#include "platform/assembly/check_place.h"

#include <string>

#include "models/base/errors.h"
#include "models/cube/hbm_ctrl.h"
#include "models/cube/sram.h"
#include "models/io/pcie_ep.h"
#include "models/noc/transit.h"
#include "models/pe/pe_dma.h"
#include "models/pe/pe_tcm.h"
#include "models/protocol/control_node.h"

namespace kernbench {
namespace {

template <class... Types>
bool is_any(const Component& component) {
  return ((dynamic_cast<const Types*>(&component) != nullptr) || ...);
}

}  // namespace

void check_place(const Node& node, const Component& component) {
  const char* task = nullptr;
  switch (node.kind) {
    case NodeKind::hbm_ctrl:
    case NodeKind::sram:
    case NodeKind::pe_tcm:
      if (is_any<Transit, PcieEp, PeDma>(component)) task = "answers requests";
      break;
    case NodeKind::fabric_switch:
    case NodeKind::io_noc:
    case NodeKind::io_ucie:
    case NodeKind::io_conn:
    case NodeKind::router:
    case NodeKind::ucie_port:
    case NodeKind::ucie_conn:
      if (is_any<HbmCtrl, Sram, PeTcm, ControlNode>(component)) task = "passes messages on";
      break;
    default:
      break;
  }
  if (task == nullptr) return;
  throw UsageError("'" + node.name + "' " + task + ", which its implementation '" + node.impl() + "' does not");
}

}  // namespace kernbench
