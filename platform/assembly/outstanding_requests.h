// Outstanding requests and the components that hold them, for deadlock reports (spec 4.2).
#pragma once

#include <functional>
#include <string>

#include "models/base/node_id.h"
#include "models/protocol/protocol_monitor.h"
#include "models/protocol/transaction.h"

namespace kernbench {

using NodeName = std::function<std::string(NodeId)>;

// Returns a line for each of the first transactions: the information available without monitors.
std::string outstanding_transactions(const TransactionPool& pool, const NodeName& name);
// Returns a line for each transaction and each service request, with the component that holds it.
std::string outstanding_requests(const TransactionPool& pool, const NodeName& name,
                                 const ProtocolMonitors& monitors);

}  // namespace kernbench
