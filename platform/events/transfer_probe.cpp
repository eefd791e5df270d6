#include "platform/events/transfer_probe.h"

#include "platform/observe/transfer_path.h"

namespace kernbench {

TransferProbe::TransferProbe(Platform& platform, EventSource& events)
    : graph_(platform.graph()), events_(events), breakdown_(platform),
      nodes_(graph_.nodes().size()), links_(graph_.edges().size()),
      ends_(platform.observation().transaction_ends, *this) {}

void TransferProbe::write(const TransactionEnd& end) {
  const Transaction& transaction = end.transaction;
  const TransferPath path = breakdown_.take(transaction);
  const RouteExtension& route = transaction.route();
  if (!transaction.accesses_memory() || route.path == nullptr) return;
  const NodeId source = route.request_path().source(), target = route.request_path().target();
  const Node &initiator = graph_.node(source), &memory = graph_.node(target);
  TransferRow row;
  row.id = ++transfers_;
  row.initiator = initiator.name;
  row.target = memory.name;
  row.initiator_kind = name_of(initiator.kind);
  row.target_kind = name_of(memory.kind);
  row.op = transaction.is_write() ? "write" : "read";
  row.distance = name_of(distance_of(graph_, source, target));
  row.bytes = transaction.get_data_length();
  row.issued = path.issue;
  row.end = path.end;
  events_.rows<TransferRow>().write(row);
  for (const TransferPath::Interval& hop : path.intervals)
    events_.rows<HopRow>().write({row.id, id_of(hop.place), name_of(hop.part), hop.start, hop.end});
}

std::uint64_t TransferProbe::id_of(FabricPlace place) {
  const bool is_link = place.kind == FabricPlace::Kind::link;
  std::uint64_t& id = (is_link ? links_ : nodes_)[place.index];
  if (id == 0) {
    id = ++places_;
    events_.rows<PlaceRow>().write(
        {id, name_of(place, graph_), std::string(kind_name(place, graph_)), is_link});
  }
  return id;
}

}  // namespace kernbench
