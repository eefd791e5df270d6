// Transactions on a timeline: requests of the host, transfers and messages of the PEs, control
// messages of the processors. Each lasts from the start of its service at the initiator, before its
// first flit leaves, until it is released: its response has arrived, or it has committed.
#include <fmt/format.h>

#include <algorithm>

#include "models/protocol/fabric_node.h"
#include "platform/export/timeline.h"
#include "platform/export/timeline_pes.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

const IpcqMessage* message_of(const Transaction& transaction) {
  return dynamic_cast<const IpcqMessage*>(transaction.route().message.get());
}

// "KernelLaunch 'matmul'", "read sip0.cube0.hbm_ctrl.pe0", "message sip0.cube0.pe1"
std::string name_of(const Transaction& transaction, const std::string& target) {
  const Message* message = transaction.route().message.get();
  if (const auto* sent = dynamic_cast<const IpcqMessage*>(message))
    return "message " + sent->destination.str();
  if (const auto* request = dynamic_cast<const PeMessage*>(message))
    return label_of(request->type_name(), *request);
  if (dynamic_cast<const LaunchAbort*>(message) != nullptr) return "LaunchAbort";
  if (dynamic_cast<const LaunchFailed*>(message) != nullptr) return "LaunchFailed";
  if (!transaction.accesses_memory()) return "control " + target;
  return std::string(access_name(transaction)) + ' ' + target;
}

class TimelineTransfers final : public TimelineObserver,
                                private tlm::tlm_analysis_if<LinkTraversal>,
                                private tlm::tlm_analysis_if<NodeTraversal>,
                                private tlm::tlm_analysis_if<TransactionEnd> {
 public:
  TimelineTransfers(Platform& platform, TimelinePes& pes, TimelineRecorder& out)
      : platform_(platform), pes_(pes), out_(out),
        link_traversals_(platform.observation().link_traversals, *this),
        node_traversals_(platform.observation().node_traversals, *this),
        ends_(platform.observation().transaction_ends, *this) {}

 private:
  struct Transfer {
    TimelineRecorder::Open slice = 0;
    TimelinePes::Arrow arrow;  // of a message
  };

  // Departure of the first flit from its source.
  void write(const LinkTraversal& traversal) override {
    if (traversal.run.position != 1 || traversal.run.first != 0) return;
    if (traversal.transaction.route().leg == Leg::response)
      return pes_.launch_answered(traversal.transaction.route().key, Component::now());
    begin(traversal.transaction, Component::now());
  }

  void write(const NodeTraversal& traversal) override {
    const RouteExtension& route = traversal.arrival.transaction->route();
    if (!route.is_control() || route.leg == Leg::response) return;
    const Node& node = platform_.graph().node(traversal.node.node());
    if (node.kind != Role::pe_cpu) return;
    if (const auto* launch = dynamic_cast<const KernelLaunch*>(route.message.get()))
      pes_.launch_reached(node.name.substr(0, node.name.rfind('.')), route.key, *launch,
                          Component::now());
  }

  void write(const TransactionEnd& end) override {
    const auto found = transfers_.extract(end.transaction.route().key);
    if (!found) return;  // never left its initiator
    if (const IpcqMessage* message = message_of(end.transaction))
      pes_.message_ended(*message, found.mapped().arrow);
    out_.end(found.mapped().slice, Component::now());
  }

  void begin(const Transaction& transaction, Fs now) {
    const RouteExtension& route = transaction.route();
    const auto [entry, is_new] = transfers_.try_emplace(route.key);
    if (!is_new) return;
    Transfer& transfer = entry->second;
    const NodeId initiator = route.path->source();
    const Fs start =
        std::max(route.key.issued, now - std::min(route.path->hop(0).overhead_fs, now));
    const IpcqMessage* message = message_of(transaction);
    SliceKind kind = message != nullptr ? SliceKind::message : SliceKind::transfer;
    if (platform_.graph().node(initiator).kind == Role::pcie_ep) kind = SliceKind::host_request;
    if (message != nullptr) transfer.arrow = pes_.message_left(*message);
    transfer.slice =
        out_.begin(kind, lanes_of(initiator, message != nullptr), start,
                   name_of(transaction, platform_.graph().node(route.path->target()).name),
                   arguments_of(transaction, initiator, start),
                   {transfer.arrow, TimelineFlow::Point::between});
    const auto* launch = dynamic_cast<const KernelLaunch*>(route.message.get());
    if (launch != nullptr && kind == SliceKind::host_request)
      pes_.launch_requested(*launch, transfer.slice);
  }

  TimelineLanes& lanes_of(NodeId initiator, bool message) {
    TimelineLanes*& lanes = lanes_[{initiator, message}];
    if (lanes != nullptr) return *lanes;
    const Node& node = platform_.graph().node(initiator);
    const std::size_t dot = node.name.rfind('.');
    const bool of_host = node.kind == Role::pcie_ep || dot == std::string::npos;
    const std::string group = of_host ? "" : node.name.substr(0, dot);
    if (message) {
      lanes = &out_.lanes(group, node.name + " messages", TimelineRank::message);
    } else if (node.kind <= Role::pe_ipcq) {
      lanes = &out_.lanes(group, node.name + " transfers", TimelineRank::transfer);
    } else {
      lanes = &out_.lanes(group, node.name + " requests", TimelineRank::request);
    }
    return *lanes;
  }

  TimelineArguments arguments_of(const Transaction& transaction, NodeId initiator, Fs start) const {
    const RouteExtension& route = transaction.route();
    TimelineArguments arguments{{"transaction", route.key.count}};
    if (transaction.accesses_memory()) {
      arguments.emplace_back("bytes", transaction.get_data_length());
      arguments.emplace_back("address", transaction.get_address());
    }
    arguments.emplace_back("target", platform_.graph().node(route.path->target()).name);
    arguments.emplace_back("hops", route.path->hops().size() - 1);
    if (start > route.key.issued) arguments.emplace_back("waited_fs", start - route.key.issued);
    const auto stage =
        pes_.dma_stage(platform_.component(initiator), transaction.is_write(), route.key.issued);
    if (stage && message_of(transaction) == nullptr) {
      arguments.emplace_back("command", stage->command);
      if (stage->tile >= 0) arguments.emplace_back("tile", static_cast<std::uint64_t>(stage->tile));
    }
    return arguments;
  }

  const Platform& platform_;
  TimelinePes& pes_;
  TimelineRecorder& out_;
  std::map<TieKey, Transfer> transfers_;
  std::map<std::pair<NodeId, bool>, TimelineLanes*> lanes_;
  AnalysisBinding<LinkTraversal> link_traversals_;
  AnalysisBinding<NodeTraversal> node_traversals_;
  AnalysisBinding<TransactionEnd> ends_;
};

}  // namespace

std::unique_ptr<TimelineObserver> timeline_transfers(Platform& platform, TimelinePes& pes,
                                                     TimelineRecorder& out) {
  return std::make_unique<TimelineTransfers>(platform, pes, out);
}

}  // namespace kernbench
