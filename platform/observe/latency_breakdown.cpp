#include "platform/observe/latency_breakdown.h"

#include <algorithm>

#include "models/cube/hbm_ctrl.h"

namespace kernbench {
namespace {

bool is_last(const RouteExtension& route, std::uint32_t behind) { return route.is_control() || behind >= route.flits; }

}  // namespace

LatencyBreakdown::LatencyBreakdown(Platform& platform, TransferWatch& watch) {
  watch.add(*this);
  const Graph& graph = platform.graph();
  nodes_.resize(graph.nodes().size());
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id].part = part_of(graph.node(id).kind);
    Component& component = platform.component(id);
    if (dynamic_cast<HbmCtrl*>(&component) != nullptr) nodes_[id].hbm = std::make_unique<HbmShadow>(component.attributes());
  }
  for (const MachineModules::EdgeWire& entry : platform.wires()) {
    const Edge& edge = graph.edges()[entry.edge];
    WireRecord& record = wires_[entry.wire.get()];
    record.part = part_of(edge.kind);
    record.far_end = nodes_[edge.dst].part;
  }
}

std::size_t LatencyBreakdown::HashKey::operator()(const TieKey& key) const {
  return static_cast<std::size_t>((key.issued * 0x9e3779b97f4a7c15ULL) ^
                                  (std::uint64_t{key.initiator} << 32 | key.count) * 0xc2b2ae3d27d4eb4fULL);
}

LatencyBreakdown::Trace& LatencyBreakdown::trace_of(const Transaction& transaction, Fs now) {
  const auto [found, is_new] = traces_.try_emplace(transaction.route().key);
  Trace& trace = found->second;
  if (is_new) trace.begun = trace.cursor = now;
  if (trace.leg != transaction.route().leg) {
    trace.leg = transaction.route().leg;
    trace.holds.clear();
  }
  return trace;
}

void LatencyBreakdown::Trace::advance(Fs until) {
  if (until <= cursor) return;
  const Fs time = until - cursor;
  const Fs behind_others = std::min(others_ahead, time);
  add(LatencyPart::contention, behind_others);
  add(place, time - behind_others);
  others_ahead = 0;
  cursor = until;
}

void LatencyBreakdown::carried(const Wire& wire, const Transaction& transaction, FlitRun run, Fs start, Fs end) {
  WireRecord& record = wires_.find(&wire)->second;
  const RouteExtension& route = transaction.route();
  const Fs now = Component::now();
  if (is_last(route, run.first + run.count)) {
    Trace& trace = trace_of(transaction, now);
    trace.advance(now);
    // A node without overhead may hand over ahead of time what is still on its way to it.
    const Fs handed_over = trace.cursor;
    const Fs behind_others = record.occupied.held_by_others(transaction, handed_over, start);
    trace.add(LatencyPart::contention, behind_others);
    trace.add(LatencyPart::wire, end - handed_over - behind_others);
    trace.add(record.part, wire.propagation());
    trace.cursor = end + wire.propagation();
    trace.place = record.far_end;
  }
  if (route.is_control()) return;
  record.occupied.forget_until(now);
  record.occupied.add(transaction, start, end);
}

void LatencyBreakdown::passed(const FabricNode& node, const Arrival& arrival, Fs start) {
  NodeRecord& record = nodes_[node.node()];
  const Transaction& transaction = *arrival.transaction;
  const RouteExtension& route = transaction.route();
  const Fs now = Component::now();
  const bool at_source = arrival.position == 0 && route.leg == Leg::request;  // takes the message as a whole
  const bool last = at_source || is_last(route, arrival.flit + 1);
  if (!last && !arrival.is_first() && record.hbm == nullptr) return;

  Trace& trace = trace_of(transaction, arrival.time);
  if (record.hbm != nullptr) {
    if (route.is_control()) {
      record.hbm->book_read(transaction, now, trace.bursts);
    } else {
      record.hbm->book_write_flit(transaction, arrival.flit, now, trace.bursts);
    }
  }
  if (!last) {
    if (arrival.is_first()) pass_first(trace, arrival, start, now);
    return;
  }
  trace.advance(arrival.time);
  if (at_source) return trace.advance(now);
  pass_last(trace, record, arrival, start, now);
  if (record.hbm != nullptr) trace.others_ahead = record.hbm->held_by_others(transaction, now, trace.bursts);
}

void LatencyBreakdown::pass_first(Trace& trace, const Arrival& arrival, Fs start, Fs now) {
  if (trace.holds.size() <= arrival.position) trace.holds.resize(arrival.position + 1);
  trace.holds[arrival.position] = {start, now};
}

void LatencyBreakdown::pass_last(Trace& trace, const NodeRecord& node, const Arrival& arrival, Fs start, Fs now) {
  Fs behind_own = 0;
  if (arrival.position < trace.holds.size()) {
    const Interval& own = trace.holds[arrival.position];
    const Fs from = std::max(own.start, arrival.time);
    const Fs until = std::min(own.end, start);
    if (from < until) behind_own = until - from;
  }
  trace.add(LatencyPart::contention, start - arrival.time - behind_own);
  trace.add(node.part, behind_own + now - start);
  trace.cursor = now;
  trace.place = node.part;
}

LatencyParts LatencyBreakdown::take(const Transaction& transaction) {
  const TieKey& key = transaction.route().key;
  const auto found = traces_.find(key);
  const Fs last = found == traces_.end() ? key.issued : found->second.cursor;
  return take(key, key.issued, key.issued, transaction.route().posted ? Component::now() : last);
}

LatencyParts LatencyBreakdown::take(const TieKey& key, Fs issue, Fs grant, Fs end) {
  LatencyParts parts;
  Fs begun = end;
  const auto found = traces_.find(key);
  if (found != traces_.end()) {
    found->second.advance(end);
    parts = found->second.parts;
    begun = found->second.begun;
    traces_.erase(found);
  }
  parts[LatencyPart::contention] += grant - issue;
  parts[LatencyPart::pe_setup] += begun - grant;
  return parts;
}

}  // namespace kernbench
