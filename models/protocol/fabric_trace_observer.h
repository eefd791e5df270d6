// Forwards the traversals of a machine to the signals of the nodes concerned: one subscriber for
// all nodes, so that links and nodes carry no state for it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "models/base/node_id.h"
#include "models/base/signal_format.h"
#include "models/protocol/observation.h"

namespace kernbench {

class FabricSignals;
class MachineServices;

class FabricTraceObserver final : private tlm::tlm_analysis_if<LinkTraversal>,
                                  private tlm::tlm_analysis_if<NodeTraversal> {
 public:
  // Observer of the machine; created by the first call.
  static std::shared_ptr<FabricTraceObserver> of(MachineServices& machine);
  explicit FabricTraceObserver(MachineServices& machine);

  // Subscribes with the first node, unsubscribes with the last one.
  void add(NodeId node, FabricSignals& signals);
  void remove(NodeId node);

  // Names of the machine's nodes, by NodeId.
  const SignalFormat::Labels& node_names() const { return node_names_; }

 private:
  void write(const LinkTraversal& traversal) override;
  void write(const NodeTraversal& traversal) override;

  Observation& observation_;
  SignalFormat::Labels node_names_;
  std::vector<FabricSignals*> signals_;  // by NodeId; null: not observed
  std::size_t observed_ = 0;
};

}  // namespace kernbench
