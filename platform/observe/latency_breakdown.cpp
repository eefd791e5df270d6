#include "platform/observe/latency_breakdown.h"

#include "models/noc/link.h"
#include "models/protocol/fabric_node.h"
#include "platform/assembly/machine_modules.h"

namespace kernbench {
namespace {

bool is_last(const RouteExtension& route, std::uint32_t behind) {
  return route.is_control() || behind >= route.flits;
}

}  // namespace

LatencyBreakdown::LatencyBreakdown(Platform& platform)
    : link_passages_(platform.observation().link_passages, *this),
      node_passages_(platform.observation().node_passages, *this),
      bookings_(platform.observation().hbm_bookings, *this) {
  const Graph& graph = platform.graph();
  nodes_.resize(graph.nodes().size());
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id].part = nodes_[id].untold = part_of(graph.node(id).kind);
    // Between its router and its TCM it serves nothing; what passes waits for others' turns at the
    // link.
    if (graph.node(id).kind == Role::pe_dma) nodes_[id].untold = LatencyPart::contention;
  }
  for (const LinkInstance& entry : platform.links()) {
    const Edge& edge = graph.edges()[entry.edge];
    LinkRecord& record = links_[entry.link.get()];
    record.part = part_of(edge.kind);
    record.far_end = nodes_[edge.dst].part;
  }
}

std::size_t LatencyBreakdown::HashKey::operator()(const TieKey& key) const {
  return static_cast<std::size_t>((key.issued * 0x9e3779b97f4a7c15ULL) ^
                                  (std::uint64_t{key.initiator} << 32 | key.count) *
                                      0xc2b2ae3d27d4eb4fULL);
}

void LatencyBreakdown::Point::to(Fs until, LatencyPart part) {
  if (until <= time) return;
  parts[part] += until - time;
  time = until;
}

LatencyBreakdown::Stop& LatencyBreakdown::Trace::stop(std::uint32_t position) {
  if (stops.size() <= position) stops.resize(position + 1);
  return stops[position];
}

LatencyBreakdown::Trace& LatencyBreakdown::trace_of(const Transaction& transaction, Fs now) {
  const auto [found, is_new] = traces_.try_emplace(transaction.route().key);
  Trace& trace = found->second;
  if (is_new) trace.begun = trace.source.time = trace.reached.time = now;
  if (trace.leg != transaction.route().leg) {
    trace.leg = transaction.route().leg;
    trace.source = trace.read = trace.reached;
    trace.stops.clear();
  }
  return trace;
}

void LatencyBreakdown::write(const LinkPassage& passage) {
  const LinkRecord& record = links_.find(&passage.link)->second;
  const Transaction& transaction = passage.transaction;
  const FlitRun run = passage.run;
  const RouteExtension& route = transaction.route();
  Trace& trace = trace_of(transaction, Component::now());
  Point point = departure(trace, transaction, run.position - 1, run.first);
  point.to(passage.start, LatencyPart::contention);
  point.to(passage.end, LatencyPart::link);
  if (!route.is_control()) trace.stop(run.position - 1).on_link = point;
  point.to(passage.end + passage.link.propagation(), record.part);
  trace.stop(run.position).arrived.push_back({run.first, point});
  if (!is_last(route, run.first + run.count)) return;
  trace.reached = point;
  trace.place = record.far_end;
}

// When the flit stands at the link behind `position`, or would but for the flit of its own before
// it.
LatencyBreakdown::Point LatencyBreakdown::departure(Trace& trace, const Transaction& transaction,
                                                    std::uint32_t position,
                                                    std::uint32_t flit) const {
  const RouteExtension& route = transaction.route();
  const NodeRecord& node = nodes_[route.path->hop(position).node];
  Stop& stop = trace.stop(position);
  Point point = trace.source;
  if (stop.served) {
    point = *stop.served;
  } else if (!stop.arrived.empty()) {  // a node that tells nothing passes on all at once, or each
                                       // flit ahead of its arrival
    while (stop.arrived.size() > 1) stop.arrived.pop_front();
    point = stop.arrived.back().point;
  } else if (position == 0 && route.leg == Leg::response && !trace.shares.empty()) {
    point = read_departure(trace, route, flit);
  }
  if (stop.on_link && stop.on_link->time > point.time) return *stop.on_link;
  point.to(Component::now(), node.untold);
  return point;
}

// Takes the flit from those that have arrived. What came over an edge without a link has its last
// point further back.
LatencyBreakdown::Point LatencyBreakdown::arrival_point(Trace& trace, const Arrival& arrival) {
  RingBuffer<Stop::Arrived>& arrived = trace.stop(arrival.position).arrived;
  Point point = trace.source;
  bool found = false;
  for (; !arrived.empty() && arrived.front().flit <= arrival.flit; arrived.pop_front()) {
    point = arrived.front().point;
    found = true;
  }
  for (std::size_t i = arrival.position; !found && i-- > 0;) {
    const Stop& before = trace.stops[i];
    found = before.served || !before.arrived.empty();
    if (found) point = before.served ? *before.served : before.arrived.back().point;
  }
  return point;
}

void LatencyBreakdown::write(const NodePassage& passage) {
  const NodeRecord& record = nodes_[passage.node.node()];
  const Arrival& arrival = passage.arrival;
  const Transaction& transaction = *arrival.transaction;
  const RouteExtension& route = transaction.route();
  const Fs now = Component::now();
  const bool at_source =
      arrival.position == 0 && route.leg == Leg::request;  // takes the message as a whole
  Trace& trace = trace_of(transaction, arrival.time);
  Point point = at_source ? trace.source : arrival_point(trace, arrival);
  Stop& stop = trace.stop(arrival.position);
  if (stop.first_served && stop.first_served->time > point.time) point = *stop.first_served;
  point.to(passage.start, at_source ? LatencyPart::pe_setup : LatencyPart::contention);
  point.to(now, at_source ? LatencyPart::pe_setup : record.part);
  if (arrival.is_first()) stop.first_served = point;
  stop.served = point;
  if (!at_source && !is_last(route, arrival.flit + 1)) return;
  trace.reached = point;
  if (!at_source) trace.place = record.part;
}

// Behind the passage of the command or flit that books.
void LatencyBreakdown::write(const HbmBooking& booking) {
  const Fs now = Component::now();
  std::vector<Occupancy>& channels = nodes_[booking.node.node()].channels;
  if (channels.size() <= booking.channel) channels.resize(booking.channel + 1);
  Occupancy& channel = channels[booking.channel];
  channel.forget_until(now);
  channel.add(booking.transaction, booking.start, booking.finish);
  Trace& trace = trace_of(booking.transaction, now);
  if (booking.transaction.is_read()) return book_read(trace, channel, booking);
  book_write(trace, channel, booking);
}

void LatencyBreakdown::book_write(Trace& trace, const Occupancy& channel,
                                  const HbmBooking& booking) {
  const Point point =
      trace.stops.empty() ? trace.source : trace.stops.back().served.value_or(trace.source);
  if (trace.channels.size() <= booking.channel) trace.channels.resize(booking.channel + 1);
  std::optional<Point>& own = trace.channels[booking.channel];
  Point at = own && own->time > point.time ? *own : point;
  at.to(at.time + channel.held_by_others(booking.transaction, at.time, booking.finish),
        LatencyPart::contention);
  at.to(booking.finish, LatencyPart::hbm);
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
       channel.held_by_others(booking.transaction, trace.reached.time, booking.first_finish)});
}

// The bursts of a flit, counted from the first of the read. Those of several runs were booked in
// the order of the flits, each once where one flit begins in the last burst of the one before.
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

// A flit leaves when all bursts up to its last are out: one of its own is out now, or it was held
// up by an earlier flit.
LatencyBreakdown::Point LatencyBreakdown::read_departure(Trace& trace, const RouteExtension& route,
                                                         std::uint32_t flit) {
  const Fs now = Component::now();
  const auto [begin, end] = bursts_of_flit(trace, route, flit);
  const std::size_t channels = trace.shares.size();
  Point point = trace.read;
  for (std::uint64_t burst = begin; burst <= end; ++burst) {
    const Share& share = trace.shares[burst % channels];
    if (share.first_finish + burst / channels * trace.burst_time != now) continue;
    point = trace.source;
    point.to(point.time + share.others, LatencyPart::contention);
    break;
  }
  point.to(now, LatencyPart::hbm);
  return trace.read = point;
}

LatencyParts LatencyBreakdown::take(const Transaction& transaction) {
  const TieKey& key = transaction.route().key;
  const auto found = traces_.find(key);
  const Fs last = found == traces_.end() ? key.issued : found->second.reached.time;
  return take(key, key.issued, key.issued, transaction.route().posted ? Component::now() : last);
}

LatencyParts LatencyBreakdown::take(const TieKey& key, Fs issue, Fs grant, Fs end) {
  LatencyParts parts;
  Fs begun = end;
  const auto found = traces_.find(key);
  if (found != traces_.end()) {
    Trace& trace = found->second;
    trace.reached.to(end, trace.place);
    parts = trace.reached.parts;
    begun = trace.begun;
    traces_.erase(found);
  }
  parts[LatencyPart::contention] += grant - issue;
  parts[LatencyPart::pe_setup] += begun - grant;
  return parts;
}

}  // namespace kernbench
