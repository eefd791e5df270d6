#include "models/protocol/fabric_trace_observer.h"

#include <string>
#include <utility>

#include "models/protocol/fabric_node.h"
#include "models/protocol/fabric_signals.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

SignalFormat::Labels names_of(const MachineDescription& machine) {
  std::vector<std::string> names;
  names.reserve(machine.nodes.size());
  for (const NodeDescription& node : machine.nodes) names.push_back(node.name);
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

}  // namespace

std::shared_ptr<FabricTraceObserver> FabricTraceObserver::of(MachineServices& machine) {
  std::shared_ptr<FabricTraceObserver>& observer = machine.observation().fabric_trace_observer;
  if (observer == nullptr) observer = std::make_shared<FabricTraceObserver>(machine);
  return observer;
}

FabricTraceObserver::FabricTraceObserver(MachineServices& machine)
    : observation_(machine.observation()), node_names_(names_of(machine.machine())),
      signals_(node_names_->size(), nullptr) {}

void FabricTraceObserver::add(NodeId node, FabricSignals& signals) {
  signals_.at(node) = &signals;
  if (observed_++ > 0) return;
  observation_.link_traversals.bind(*this);
  observation_.node_traversals.bind(*this);
}

void FabricTraceObserver::remove(NodeId node) {
  signals_.at(node) = nullptr;
  if (--observed_ > 0) return;
  observation_.link_traversals.unbind(*this);
  observation_.node_traversals.unbind(*this);
}

void FabricTraceObserver::write(const LinkTraversal& traversal) {
  const PathHop& from = traversal.transaction.route().path->hop(traversal.run.position - 1);
  if (FabricSignals* signals = signals_[from.node]) signals->left(traversal, from.out_port);
}

void FabricTraceObserver::write(const NodeTraversal& traversal) {
  if (FabricSignals* signals = signals_[traversal.node.node()]) signals->served(traversal);
}

}  // namespace kernbench
