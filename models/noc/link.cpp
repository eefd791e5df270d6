#include "models/noc/link.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/component_fault.h"

namespace kernbench {

Link::Link(const char* name, const Rational& bw_gbs, Fs propagation, std::uint32_t flit_bytes,
           const AnalysisPort<LinkTraversal>& traversals)
    : sc_core::sc_object(name), traversals_(traversals), propagation_(propagation),
      service_(bw_gbs, flit_bytes) {}

void Link::connect(FabricInitiatorSocket& upstream, FabricTargetSocket& downstream) {
  upstream.get_base_port().bind(static_cast<FabricForward&>(*this));
  downstream.get_base_port().bind(static_cast<FabricBackward&>(*this));
  upstream_ = &upstream.get_base_interface();
  downstream_ = &downstream.get_base_interface();
}

void Link::connect(FabricInitiatorSocket& upstream, FabricTargetSocket& downstream,
                   ProtocolMonitors* monitors, NodeId from, NodeId to, bool in_order,
                   InputBuffer far_buffer) {
  if (monitors == nullptr) return connect(upstream, downstream);
  using Times = FabricMonitor::Times;
  auto& before =
      monitors->add<FabricMonitor>(upstream, *this, from, to, Times{in_order, true}, far_buffer);
  auto& behind =
      monitors->add<FabricMonitor>(*this, downstream, from, to, Times{in_order, false}, far_buffer);
  upstream.bind(before.in);
  connect(before.out, behind.in);
  behind.out.bind(downstream);
}

void Link::accept(Transaction& transaction, FlitRun run, Fs handed_over) {
  const RouteExtension& route = transaction.route();
  Fs start = handed_over;
  Fs end = handed_over;
  if (!route.is_control()) {
    if (!booked_.empty()) {
      check_order(transaction, run, handed_over);
      booked_.clear();
    }
    const std::uint32_t bytes = route.bytes_of(run.first);
    const Fs service = service_.of(bytes);
    const Fs free_at = state_.available_at;
    end = advance(state_, handed_over, service);
    start = end - service;
    const Fs now = Component::now();
    if (start > free_at && start > now) ahead_.add_gap(now, free_at, start);
    handed_over_.bytes += bytes;
    ++handed_over_.flits;
    handed_over_.busy_fs += service;
    if (run.first == 0) stalls_.book(now, handed_over, start);
  } else {
    if (!route.host_control) {
      start = end = booked_.empty()
                        ? control_departure(state_, handed_over)
                        : std::max(handed_over, available_before(handed_over, run.first > 0));
    }
    run.first = 0;
    ++handed_over_.control_messages;
  }
  if (traversals_.observed()) traversals_.write({*this, transaction, run, start, end});
  downstream_->accept(transaction, run, end + propagation_);
}

void Link::accept_run(Transaction& transaction, FlitRun run, Fs handed_over, Fs spacing) {
  const RouteExtension& route = transaction.route();
  if (!booked_.empty()) check_order(transaction, run, handed_over);
  if (spacing > 0 || handed_over > Component::now()) {
    // A node announces future hand-overs to an output for one transaction at a time.
    if (booked_transaction_ != &transaction) booked_.clear();
    booked_transaction_ = &transaction;
    while (!booked_.empty()) {
      const BookedFlits& first = booked_.front().flits;
      if (first.handed_over + (first.count - 1) * first.spacing >= Component::now()) break;
      before_booked_ = first.end(first.count);
      booked_.pop_front();
    }
    if (booked_.empty()) before_booked_ = state_.available_at;
  } else {
    booked_.clear();
  }
  while (run.count > 0) {
    // Flits of equal length: the first and the last of a transaction may be short.
    const std::uint32_t bytes = route.bytes_of(run.first);
    FlitRun part = run;
    if (route.list != nullptr || run.first == 0) {
      part.count = 1;
    } else if (run.first + run.count == route.flits && run.count > 1 &&
               route.last_flit_bytes != bytes) {
      --part.count;
    }
    book(transaction, part, handed_over, spacing, bytes);
    run.first += part.count;
    run.count -= part.count;
    handed_over += part.count * spacing;
  }
}

void Link::book(Transaction& transaction, FlitRun run, Fs handed_over, Fs spacing,
                std::uint32_t flit_bytes) {
  const Fs service = service_.of(flit_bytes), now = Component::now();
  while (run.count > 0) {
    const Fs free_at = state_.available_at;
    const BookedFlits flits = advance(state_, handed_over, spacing, run.count, service);
    if (flits.start > free_at && flits.start > now) ahead_.add_gap(now, free_at, flits.start);
    if (flits.pace > service) {
      for (std::uint32_t i = 1; i < flits.count; ++i)
        ahead_.add_gap(now, flits.end(i), flits.start + i * flits.pace);
    }
    handed_over_.bytes += std::uint64_t{flit_bytes} * flits.count;
    handed_over_.flits += flits.count;
    handed_over_.busy_fs += service * flits.count;
    if (run.first == 0) stalls_.book(now, handed_over, flits.start);
    if (handed_over + (flits.count - 1) * spacing > now)
      booked_.push_back({flits, run.first, flit_bytes});
    else
      before_booked_ = state_.available_at;
    FlitRun part = run;
    part.count = flits.count;
    const Fs arrival = flits.start + service + propagation_;
    if (part.count == 1) {
      downstream_->accept(transaction, part, arrival);
    } else {
      downstream_->accept_run(transaction, part, arrival, flits.pace);
    }
    run.first += flits.count;
    run.count -= flits.count;
    handed_over += flits.count * spacing;
  }
}

void Link::check_order(const Transaction& transaction, FlitRun run, Fs handed_over) const {
  const BookedFlits& last = booked_.back().flits;
  const Fs until = last.handed_over + (last.count - 1) * last.spacing;
  if (handed_over >= until) return;
  throw ComponentFault(
      *this,
      fmt::format("flit {} of a {} is handed over for {}, before the last of the flits that "
                  "have been announced: allowed is its instant, {}, or later",
                  run.first, access_name(transaction), format_ns(handed_over), format_ns(until)));
}

void Link::refuse_recall(const Transaction& transaction, std::uint32_t flit) const {
  throw ComponentFault(*this,
                       fmt::format("flit {} of a {} is withdrawn: allowed are flits that "
                                   "have been announced for {} or later",
                                   flit, access_name(transaction), format_ns(Component::now())));
}

void Link::recall(Transaction& transaction, std::uint32_t position, std::uint32_t flit) {
  if (booked_.empty() || booked_transaction_ != &transaction || flit < booked_.front().first)
    refuse_recall(transaction, flit);
  state_.available_at = before_booked_;
  for (std::size_t i = 0; i < booked_.size(); ++i) {
    Booked& booked = booked_[i];
    if (booked.first + booked.flits.count <= flit) {
      state_.available_at = booked.flits.end(booked.flits.count);
      continue;
    }
    const std::uint32_t remaining = booked.first < flit ? flit - booked.first : 0;
    const std::uint32_t withdrawn = booked.flits.count - remaining;
    if (booked.flits.handed_over + remaining * booked.flits.spacing < Component::now())
      refuse_recall(transaction, flit);
    handed_over_.bytes -= std::uint64_t{booked.flit_bytes} * withdrawn;
    handed_over_.flits -= withdrawn;
    handed_over_.busy_fs -= booked.flits.service * withdrawn;
    booked.flits.count = remaining;
    if (remaining > 0) state_.available_at = booked.flits.end(remaining);
  }
  while (!booked_.empty() && booked_.back().flits.count == 0) booked_.pop_back();
  ahead_.truncate(state_.available_at);
  downstream_->recall(transaction, position, flit);
}

// available_at after the flits that are handed over before an instant, and at it if `and_at`.
Fs Link::available_before(Fs handed_over, bool and_at) const {
  Fs available = before_booked_;
  for (std::size_t i = 0; i < booked_.size(); ++i) {
    const BookedFlits& flits = booked_[i].flits;
    const std::uint32_t count = flits_until(flits.handed_over, flits.spacing, flits.count,
                                            and_at ? handed_over + 1 : handed_over);
    if (count > 0) available = flits.end(count);
    if (count < flits.count) break;
  }
  return available;
}

bool Link::get_direct_route(const Path& path, std::uint32_t position, DirectRoute& route) {
  route.delay += propagation_;
  if (!downstream_->get_direct_route(path, position, route)) return false;
  direct_.add(route);
  return true;
}

Link::Statistics Link::statistics() const {
  Statistics until_now = handed_over_;
  Fs ahead = ahead_.after(Component::now(), state_.available_at);
  until_now.busy_fs -= ahead;
  for (std::size_t i = 0; i < booked_.size(); ++i) {
    const BookedFlits& flits = booked_[i].flits;
    const std::uint32_t later = flits.count - flits_until(flits.handed_over, flits.spacing,
                                                          flits.count, Component::now() + 1);
    until_now.flits -= later;
    until_now.bytes -= std::uint64_t{booked_[i].flit_bytes} * later;
    ahead -= flits.service * later;
  }
  until_now.stalled_fs = stalls_.until(Component::now());
  until_now.control_messages += direct_.messages();
  until_now.bytes -= std::min(service_.bytes_in(ahead), until_now.bytes);
  return until_now;
}

}  // namespace kernbench
