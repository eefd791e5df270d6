#include "platform/observe/latency_breakdown.h"

#include <algorithm>

#include "models/noc/link.h"
#include "models/protocol/fabric_node.h"
#include "platform/assembly/machine_modules.h"

namespace kernbench {

namespace {

constexpr std::size_t steps_per_block = 1024;

}  // namespace

void StepPool::grow() {
  blocks_.push_back(std::make_unique<LatencyStep[]>(steps_per_block));
  for (std::size_t i = 0; i < steps_per_block; ++i) {
    LatencyStep* step = &blocks_.back()[i];
    step->previous = free_;
    free_ = step;
  }
}

void StepPool::recycle(LatencyStep* step) {
  while (step != nullptr) {
    LatencyStep* previous = step->previous;
    step->previous = free_;
    free_ = step;
    if (previous == nullptr || --previous->owners > 0) return;
    step = previous;
  }
}

std::size_t StepPool::size() const {
  std::size_t unused = 0;
  for (const LatencyStep* step = free_; step != nullptr; step = step->previous) ++unused;
  return blocks_.size() * steps_per_block - unused;
}

void StepChain::add(FabricPlace place, LatencyPart part, Fs length) {
  const bool extends = last_ != nullptr && last_->part == part && last_->place == place;
  if (extends && last_->owners == 1) {
    last_->length += length;
    return;
  }
  LatencyStep* step = pool_->make();
  if (extends) {
    *step = {last_->previous, last_->length + length, place, 1, part};
    if (step->previous != nullptr) ++step->previous->owners;
    --last_->owners;  // shared: other owners remain
  } else {
    *step = {last_, length, place, 1, part};  // takes over this chain's share of last_
  }
  last_ = step;
}

namespace {

bool is_last(const RouteExtension& route, std::uint32_t behind) {
  return route.is_control() || behind >= route.flits;
}

// Intervals of a transfer, from the last one backwards.
class PathFromEnd {
 public:
  explicit PathFromEnd(Fs end) : start_(end) { path_.end = end; }

  void add(FabricPlace place, LatencyPart part, Fs length) {
    if (length == 0) return;
    std::vector<TransferPath::Interval>& intervals = path_.intervals;
    const Fs end = std::exchange(start_, start_ - length);
    if (!intervals.empty() && intervals.back().place == place && intervals.back().part == part) {
      intervals.back().start = start_;
    } else {
      intervals.push_back({place, part, start_, end});
    }
  }
  TransferPath finish() {
    std::reverse(path_.intervals.begin(), path_.intervals.end());
    path_.issue = start_;
    return std::move(path_);
  }

 private:
  TransferPath path_;
  Fs start_;
};

}  // namespace

LatencyBreakdown::LatencyBreakdown(Platform& platform)
    : link_traversals_(platform.observation().link_traversals, *this),
      node_traversals_(platform.observation().node_traversals, *this),
      bookings_(platform.observation().hbm_bookings, *this) {
  const Graph& graph = platform.graph();
  nodes_.resize(graph.nodes().size());
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id].part = part_of(graph.node(id).kind);
    nodes_[id].transit = transit_of(graph.node(id));
    // Between its router and its TCM it serves nothing; traversing flits compete for the link.
    nodes_[id].serves_passing = graph.node(id).kind != Role::pe_dma;
  }
  for (const LinkInstance& entry : platform.links()) {
    const Edge& edge = graph.edges()[entry.edge];
    LinkRecord& record = links_[entry.link.get()];
    record.part = part_of(edge.kind);
    record.place = FabricPlace::link(entry.edge);
    record.far_end = edge.dst;
  }
}

std::size_t LatencyBreakdown::HashKey::operator()(const TieKey& key) const {
  return static_cast<std::size_t>((key.issued * 0x9e3779b97f4a7c15ULL) ^
                                  (std::uint64_t{key.initiator} << 32 | key.count) *
                                      0xc2b2ae3d27d4eb4fULL);
}

void LatencyBreakdown::Point::to(Fs until, LatencyPart part, FabricPlace place) {
  if (until <= time) return;
  steps.add(place, part, until - time);
  time = until;
}

// Moves the chain out of the ring, whose slots outlive their contents.
LatencyBreakdown::Point LatencyBreakdown::Stop::pop_arrived() {
  Point point = std::move(arrived.front().point);
  arrived.pop_front();
  return point;
}

LatencyBreakdown::Stop& LatencyBreakdown::Trace::stop(std::uint32_t position) {
  if (stops.size() <= position) stops.resize(position + 1);
  return stops[position];
}

LatencyBreakdown::Trace& LatencyBreakdown::trace_of(const Transaction& transaction, Fs now) {
  const RouteExtension& route = transaction.route();
  const auto [found, is_new] = traces_.try_emplace(route.key);
  Trace& trace = found->second;
  if (is_new) {
    trace.begun = now;
    trace.source = trace.reached = {now, StepChain(steps_)};
    trace.place = FabricPlace::node(route.request_path().source());
    trace.stops.reserve(route.path->hops().size());
  }
  if (trace.leg != route.leg) {
    trace.leg = route.leg;
    trace.source = trace.read = trace.reached;
    trace.stops.clear();
  }
  return trace;
}

void LatencyBreakdown::write(const LinkTraversal& traversal) {
  const LinkRecord& record = links_.find(&traversal.link)->second;
  const Transaction& transaction = traversal.transaction;
  const FlitRun run = traversal.run;
  const RouteExtension& route = transaction.route();
  Trace& trace = trace_of(transaction, Component::now());
  Point point = departure(trace, transaction, run.position - 1, run.first, record.place);
  point.to(traversal.start, LatencyPart::contention, record.place);
  point.to(traversal.end, LatencyPart::link, record.place);
  if (!route.is_control()) trace.stop(run.position - 1).on_link = point;
  point.to(traversal.end + traversal.link.propagation(), record.part, record.place);
  if (is_last(route, run.first + run.count)) {
    trace.reached = point;
    trace.part = nodes_[record.far_end].part;
    trace.place = FabricPlace::node(record.far_end);
  }
  trace.stop(run.position).arrived.push_back({run.first, std::move(point)});
}

// Flit when it reaches the link behind `position`, or would reach it if no earlier flit of its own
// message were ahead.
LatencyBreakdown::Point LatencyBreakdown::departure(Trace& trace, const Transaction& transaction,
                                                    std::uint32_t position, std::uint32_t flit,
                                                    FabricPlace link) const {
  const RouteExtension& route = transaction.route();
  const NodeId node = route.path->hop(position).node;
  Stop& stop = trace.stop(position);
  Point point = trace.source;
  if (stop.served) {
    point = *stop.served;
  } else if (!stop.arrived.empty()) {  // a node without service events forwards all at once, or
                                       // each flit ahead of its arrival
    while (stop.arrived.size() > 1) stop.pop_arrived();
    point = stop.arrived.back().point;
  } else if (position == 0 && route.leg == Leg::response && !trace.shares.empty()) {
    point = read_departure(trace, route, flit);
  }
  if (stop.on_link && stop.on_link->time > point.time) return *stop.on_link;
  if (nodes_[node].serves_passing) {
    point.to(Component::now(), nodes_[node].part, FabricPlace::node(node));
  } else {
    point.to(Component::now(), LatencyPart::contention, link);
  }
  return point;
}

// Removes the flit from those that have arrived. A flit that arrived over an edge without a link
// has its last point further back.
LatencyBreakdown::Point LatencyBreakdown::arrival_point(Trace& trace, const Arrival& arrival) {
  Stop& stop = trace.stop(arrival.position);
  Point point = trace.source;
  bool found = false;
  while (!stop.arrived.empty() && stop.arrived.front().flit <= arrival.flit) {
    point = stop.pop_arrived();
    found = true;
  }
  for (std::size_t i = arrival.position; !found && i-- > 0;) {
    const Stop& before = trace.stops[i];
    found = before.served || !before.arrived.empty();
    if (found) point = before.served ? *before.served : before.arrived.back().point;
  }
  return point;
}

void LatencyBreakdown::write(const NodeTraversal& traversal) {
  const FabricPlace place = FabricPlace::node(traversal.node.node());
  const Arrival& arrival = traversal.arrival;
  const Transaction& transaction = *arrival.transaction;
  const RouteExtension& route = transaction.route();
  const Fs now = Component::now();
  const bool at_source =
      arrival.position == 0 && route.leg == Leg::request;  // accepts the message as a whole
  Trace& trace = trace_of(transaction, arrival.time);
  const LatencyPart part = at_source ? LatencyPart::pe_setup : nodes_[place.index].part;
  Point point = at_source ? trace.source : arrival_point(trace, arrival);
  Stop& stop = trace.stop(arrival.position);
  if (stop.first_served && stop.first_served->time > point.time) point = *stop.first_served;
  point.to(traversal.start, at_source ? LatencyPart::pe_setup : LatencyPart::contention, place);
  const Transit& transit = nodes_[place.index].transit;
  const Fs hold = arrival.is_first() ? transit.hold : transit.later_hold;
  if (transit.pipelined && (arrival.is_first() || hold > 0)) {
    stop.first_served = point;
    stop.first_served->to(traversal.start + hold, part, place);
  }
  point.to(now, part, place);
  if (!transit.pipelined && arrival.is_first()) stop.first_served = point;
  stop.served = point;
  if (!at_source && !is_last(route, arrival.flit + 1)) return;
  trace.reached = std::move(point);
  if (at_source) return;
  trace.part = part;
  trace.place = place;
}

// Follows the traversal of the command or flit that books.
void LatencyBreakdown::write(const HbmBooking& booking) {
  const Fs now = Component::now();
  std::vector<Occupancy>& channels = nodes_[booking.node.node()].channels;
  if (channels.size() <= booking.channel) channels.resize(booking.channel + 1);
  Occupancy& channel = channels[booking.channel];
  channel.forget_until(now);
  channel.add(booking.transaction, booking.start, booking.finish);
  if (booking.transaction == nullptr) return;  // no part of a transfer: it has committed
  Trace& trace = trace_of(*booking.transaction, now);
  if (booking.transaction->is_read()) return book_read(trace, channel, booking);
  book_write(trace, channel, booking);
}

void LatencyBreakdown::book_write(Trace& trace, const Occupancy& channel,
                                  const HbmBooking& booking) {
  const Point point =
      trace.stops.empty() ? trace.source : trace.stops.back().served.value_or(trace.source);
  if (trace.channels.size() <= booking.channel) trace.channels.resize(booking.channel + 1);
  std::optional<Point>& own = trace.channels[booking.channel];
  Point at = own && own->time > point.time ? *own : point;
  const FabricPlace memory = FabricPlace::node(booking.node.node());
  at.to(at.time + channel.held_by_others(*booking.transaction, at.time, booking.finish),
        LatencyPart::contention, memory);
  at.to(booking.finish, LatencyPart::hbm, memory);
  own = at;
  if (at.time >= trace.committed.time) trace.committed = at;
  trace.reached = trace.committed;
}

void LatencyBreakdown::book_read(Trace& trace, const Occupancy& channel,
                                 const HbmBooking& booking) {
  trace.burst_bytes = booking.burst_bytes;
  trace.burst_time = booking.first_finish - booking.start;
  trace.shares.push_back(
      {booking.first_finish,
       channel.held_by_others(*booking.transaction, trace.reached.time, booking.first_finish)});
}

// Bursts of a flit, counted from the first of the read. Bursts of several runs were booked in the
// order of the flits, each once where a flit begins in the last burst of the previous one.
std::pair<std::uint64_t, std::uint64_t> LatencyBreakdown::bursts_of_flit(
    Trace& trace, const RouteExtension& route, std::uint32_t flit) {
  const std::uint64_t base = route.list == nullptr ? route.offset / trace.burst_bytes : 0,
                      first = route.offset_of(flit) / trace.burst_bytes - base,
                      last =
                          (route.offset_of(flit) + route.bytes_of(flit) - 1) / trace.burst_bytes -
                          base;
  if (route.list == nullptr) return {first, last};
  const bool shared = flit > 0 && trace.last_burst == first;
  const std::uint64_t begin = trace.bursts_seen - (shared ? 1 : 0);
  trace.bursts_seen = begin + (last - first) + 1;
  trace.last_burst = last;
  return {begin, trace.bursts_seen - 1};
}

// A flit leaves when all bursts up to its last have completed: one of its own completes now, or an
// earlier flit delayed it.
LatencyBreakdown::Point LatencyBreakdown::read_departure(Trace& trace, const RouteExtension& route,
                                                         std::uint32_t flit) {
  const Fs now = Component::now();
  const auto [begin, end] = bursts_of_flit(trace, route, flit);
  const std::size_t channels = trace.shares.size();  // none: read from a queue
  const FabricPlace memory = FabricPlace::node(route.path->source());
  Point point = trace.read;
  for (std::uint64_t burst = begin; channels > 0 && burst <= end; ++burst) {
    const Share& share = trace.shares[burst % channels];
    if (share.first_finish + burst / channels * trace.burst_time != now) continue;
    point = trace.source;
    point.to(point.time + share.others, LatencyPart::contention, memory);
    break;
  }
  point.to(now, LatencyPart::hbm, memory);
  return trace.read = point;
}

TransferPath LatencyBreakdown::take(const Transaction& transaction) {
  const RouteExtension& route = transaction.route();
  const auto found = traces_.find(route.key);
  const Fs last = found == traces_.end() ? route.key.issued : found->second.reached.time;
  const NodeId initiator =
      route.path == nullptr ? route.key.initiator : route.request_path().source();
  return take(route.key, initiator, route.key.issued, route.key.issued,
              route.posted ? Component::now() : last);
}

TransferPath LatencyBreakdown::take(const TieKey& key, NodeId initiator, Fs issue, Fs grant,
                                    Fs end) {
  PathFromEnd path(end);
  Fs begun = end;
  const auto found = traces_.find(key);
  if (found != traces_.end()) {
    Trace& trace = found->second;
    trace.reached.to(end, trace.part, trace.place);
    for (const LatencyStep* step = trace.reached.steps.newest(); step; step = step->previous)
      path.add(step->place, step->part, step->length);
    begun = trace.begun;
    traces_.erase(found);
  }
  path.add(FabricPlace::node(initiator), LatencyPart::pe_setup, begun - grant);
  path.add(FabricPlace::node(initiator), LatencyPart::contention, grant - issue);
  return path.finish();
}

}  // namespace kernbench
