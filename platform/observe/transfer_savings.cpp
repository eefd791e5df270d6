#include "platform/observe/transfer_savings.h"

#include <algorithm>
#include <set>

#include "platform/topology/machine_message.h"
#include "platform/topology/zero_load_latency.h"

namespace kernbench {
namespace {

// A way there and back whose hops can be changed.
struct Way {
  std::vector<PathHop> there, back;

  Fs latency(const MemoryMessage& message) const {
    Path back_path(back, nullptr);
    Path path(there, &back_path);
    back_path.set_reverse(&path);
    return zero_load_latency(path, message);
  }
};

EdgeKind kind_of_link(const Graph& graph, const PathHop& hop, NodeId next) {
  const Edge* edge = graph.find_edge(hop.node, next);
  return edge == nullptr ? EdgeKind::router_mesh : edge->kind;
}

}  // namespace

const TransferSavings& TransferSavingsTable::of(const Path& path, bool write, std::uint64_t bytes) {
  const Key key{&path, bytes, write};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, work_out(path, write, bytes)).first->second;
}

TransferSavings TransferSavingsTable::work_out(const Path& path, bool write,
                                               std::uint64_t bytes) const {
  const MemoryMessage message = machine_message(graph_, path, write, 0, bytes);
  const Way way{path.hops(), path.reverse().hops()};
  TransferSavings savings;
  savings.latency = way.latency(message);
  const std::vector<PathHop>& with_data = write ? way.there : way.back;
  for (const PathHop& hop : with_data) {
    if (hop.bw_gbs.to_double() > 0)
      savings.payload = std::max(savings.payload, transfer_fs(bytes, hop.bw_gbs));
  }
  if (message.memory_is_hbm)
    savings.payload = std::max(savings.payload,
                               bytes * message.burst_time / message.burst_bytes / message.num_pcs);
  const auto add = [&](ResourceId resource, Fs latency) {
    if (latency < savings.latency) savings.saved.emplace_back(resource, savings.latency - latency);
  };

  std::set<ResourceId> links, overheads;
  const auto for_each_link = [&](Way& on, auto visit) {
    for (std::vector<PathHop>* leg : {&on.there, &on.back}) {
      for (std::size_t i = 0; i + 1 < leg->size(); ++i)
        visit(resources_.of_link(kind_of_link(graph_, (*leg)[i], (*leg)[i + 1].node)), (*leg)[i]);
    }
  };
  const auto for_each_node = [&](Way& on, auto visit) {
    for (std::vector<PathHop>* leg : {&on.there, &on.back}) {
      for (PathHop& hop : *leg) visit(resources_.of_overhead(graph_.node(hop.node).kind), hop);
    }
  };
  Way all = way;
  for_each_link(all, [&](ResourceId id, PathHop&) { links.insert(id); });
  for_each_node(all, [&](ResourceId id, PathHop&) { overheads.insert(id); });

  const ResourceId memory = resources_.of_overhead(graph_.node(path.target()).kind);
  const ResourceId initiator = resources_.of_overhead(graph_.node(path.source()).kind);
  for (const ResourceId id : links) {
    Way faster = way;
    MemoryMessage twice = message;
    if (id == resources_.of_hbm()) twice.burst_time /= 2;
    for_each_link(faster, [&](ResourceId of, PathHop& hop) {
      if (of == id) hop.bw_gbs = hop.bw_gbs * 2;
    });
    add(id, faster.latency(twice));
  }
  for (const ResourceId id : overheads) {
    Way faster = way;
    MemoryMessage twice = message;
    if (id == memory) twice.memory_overhead /= 2;
    if (id == initiator) twice.initiator_overhead /= 2;
    for_each_node(faster, [&](ResourceId of, PathHop& hop) {
      if (of == id) hop.overhead_fs /= 2;
    });
    add(id, faster.latency(twice));
  }
  return savings;
}

}  // namespace kernbench
