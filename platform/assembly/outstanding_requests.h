// Outstanding requests and the components that hold them, for reports of deadlocks (spec 4.2).
#pragma once

#include <functional>
#include <string>

#include "models/base/node_id.h"
#include "models/protocol/protocol_monitor.h"
#include "models/protocol/transaction.h"

namespace kernbench {

using NodeName = std::function<std::string(NodeId)>;

// A line for each of the first transactions: what is known without monitors.
std::string outstanding_transactions(const TransactionPool& pool, const NodeName& name);
// A line for each transaction and each request of a service, with the component that holds it.
std::string outstanding_requests(const TransactionPool& pool, const NodeName& name,
                                 const ProtocolMonitors& monitors);

}  // namespace kernbench
