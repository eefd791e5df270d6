// Servers of a forwarding node whose latency is not its occupancy, or that has several servers
// (spec 2.4): one for the node, one for each output, or one for each pair of an input and an
// output.
//
// Timing (models/timing/router_state.h): flits of one server are served in order of arrival. A flit
// starts when it has arrived and its server is free, holds the server for its occupancy, and is
// handed over its latency after its start: several flits are in the pipeline. A control message is
// handed over one latency after its arrival and neither waits for nor holds a server. Flits and
// messages that are handed over at one instant leave in order of arrival, by the tie rule. Not
// modelled: an output that accepts one flit at a time (its link does), a pipeline that fills up.
//
// Arrivals are filed by server when an arrival may be due, in order, and when statistics are read:
// one event per flit and node where all flits have a latency.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/parameter_set.h"
#include "models/protocol/arrival_queue.h"
#include "models/timing/router_state.h"

namespace kernbench {

enum class ServerPer : std::uint8_t { node, direction, port };

// Parameters next to `overhead_ns`, which sets latency and occupancy at once. All at their
// defaults: the node has the serial server of serial_ingress.h.
struct ServerParameters {
  explicit ServerParameters(ParameterSet& set)
      : latency(set, Parameter::duration_ns("latency_ns",
                                            "from the start of a flit's service to its hand-over; "
                                            "per control message; needs overhead_ns 0",
                                            "spec 2.4")
                         .default_val(0)),
        occupancy(set, Parameter::duration_ns("occupancy_ns",
                                              "time for which the first flit of a leg holds its "
                                              "server; needs overhead_ns 0",
                                              "spec 2.4")
                           .default_val(0)),
        flit_occupancy(
            set, Parameter::duration_ns("flit_occupancy_ns",
                                        "time for which each flit holds its server, the first "
                                        "one if occupancy_ns is shorter; needs overhead_ns 0",
                                        "spec 2.4")
                     .default_val(0)),
        servers(set,
                Parameter::choice("servers",
                                  "what has a server of its own: the node, each output, or each "
                                  "pair of an input and an output",
                                  {"node", "direction", "port"}, "spec 2.4")
                    .default_val("node")) {}

  // True if `values` leave all of them at their defaults; they declare them.
  static bool are_defaults(const Attributes& values) {
    return values.decimal("latency_ns").is_zero() && values.decimal("occupancy_ns").is_zero() &&
           values.decimal("flit_occupancy_ns").is_zero() && values.text("servers") == "node";
  }
  bool are_defaults() const { return !is_pipelined() && per() == ServerPer::node; }
  bool is_pipelined() const { return *latency > 0 || *occupancy > 0 || *flit_occupancy > 0; }
  ServerPer per() const {
    return *servers == "node"        ? ServerPer::node
           : *servers == "direction" ? ServerPer::direction
                                     : ServerPer::port;
  }
  ServerTimes times(Fs overhead) const {
    return is_pipelined() ? ServerTimes::pipelined(*latency, *occupancy, *flit_occupancy)
                          : ServerTimes::serial(overhead);
  }
  // Attributes that set the rate of a server.
  const char* rate_attribute() const {
    return is_pipelined() ? occupancy_attributes(*occupancy, *flit_occupancy) : "overhead_ns";
  }
  // Fault of a node that has an overhead_ns as well.
  std::optional<ParameterFault> check(Fs overhead) const {
    if (overhead == 0) return std::nullopt;
    const auto fault = [overhead](const char* key, Fs value) {
      return ParameterFault{key, "found " + format_ns(value) + " next to overhead_ns of " +
                                     format_ns(overhead) +
                                     ", which sets latency_ns and occupancy_ns at once; allowed is "
                                     "0, or overhead_ns 0"};
    };
    if (*latency > 0) return fault("latency_ns", *latency);
    if (*occupancy > 0) return fault("occupancy_ns", *occupancy);
    if (*flit_occupancy > 0) return fault("flit_occupancy_ns", *flit_occupancy);
    return std::nullopt;
  }

  Param<Fs> latency, occupancy, flit_occupancy;
  Param<std::string> servers;
};

class ForwardingServers {
 public:
  ForwardingServers(ArrivalQueue& inbox, const ServerTimes& times, ServerPer per)
      : inbox_(inbox), times_(times), least_latency_(std::min(times.latency, times.later_latency)),
        per_(per) {}

  Fs latency() const { return times_.latency; }
  std::uint64_t servers(std::size_t inputs, std::size_t outputs) const {
    return per_ == ServerPer::node ? 1 : per_ == ServerPer::direction ? outputs : inputs * outputs;
  }
  Fs hold_of(const Arrival& flit) const { return times_.hold_of(flit.is_first()); }

  Fs next_due() const {
    Fs due = inbox_.control_due(times_.latency);
    if (const Arrival* head = inbox_.data()) due = std::min(due, head->time + least_latency_);
    for (const Queue& queue : queues_) due = std::min(due, due_of(queue));
    return due;
  }
  // Calls hand_over(const Arrival&, Fs start) for every arrival that leaves at `now`.
  template <class HandOver>
  void serve(Fs now, HandOver hand_over) {
    file(now);
    for (;;) {
      Queue* queue = first_due(now);
      const Arrival* message =
          inbox_.control_due(times_.latency) <= now ? inbox_.control() : nullptr;
      if (queue != nullptr && (message == nullptr || earlier(queue->flits.front(), *message))) {
        const Arrival flit = queue->flits.front();
        queue->flits.pop_front();
        --filed_;
        const Fs start = hand_over_time(queue->server, flit.time, 0);
        advance(queue->server, flit.time, hold_of(flit));
        hand_over(flit, start);
      } else if (message != nullptr) {
        const Arrival arrival = *message;
        inbox_.pop_control();
        hand_over(arrival, arrival.time);
      } else {
        return;
      }
    }
  }

  // Time up to `now` for which flits that have not been handed over have held their servers, less
  // the time after `now` of flits that have been; summed over the servers.
  std::int64_t held(Fs now) {
    file(now);
    std::int64_t held = 0;
    for (const Queue& queue : queues_) {
      Fs free_at = queue.server.free_at;
      if (free_at > now) held -= static_cast<std::int64_t>(free_at - now);
      for (std::size_t i = 0; i < queue.flits.size() && free_at < now; ++i) {
        const Fs start = std::max(queue.flits[i].time, free_at);
        held += static_cast<std::int64_t>(std::min(now - start, hold_of(queue.flits[i])));
        free_at = start + hold_of(queue.flits[i]);
      }
    }
    return held;
  }
  // Time up to `now` for which first flits that have not been handed over were queued.
  Fs stalled(Fs now) {
    file(now);
    Fs stalled = 0;
    for (const Queue& queue : queues_) {
      Fs free_at = queue.server.free_at;
      for (std::size_t i = 0; i < queue.flits.size(); ++i) {
        const Fs start = std::max(queue.flits[i].time, free_at);
        if (queue.flits[i].is_first()) stalled += std::min(start, now) - queue.flits[i].time;
        free_at = start + hold_of(queue.flits[i]);
      }
    }
    return stalled;
  }
  // Flits between inbox and hand-over, and the earliest one or null.
  std::size_t filed() const { return filed_; }
  const Arrival* first_filed() const {
    const Arrival* first = nullptr;
    for (const Queue& queue : queues_) {
      if (queue.flits.empty()) continue;
      if (first == nullptr || earlier(queue.flits.front(), *first)) first = &queue.flits.front();
    }
    return first;
  }

 private:
  struct Queue {
    std::uint32_t key;
    RouterState server;
    RingBuffer<Arrival> flits;  // arrived, in order
  };

  std::uint32_t key_of(const Arrival& flit) const {
    if (per_ == ServerPer::node) return 0;
    const std::uint32_t output = flit.transaction->route().path->out_port(flit.position);
    return per_ == ServerPer::direction ? output : output << 16 | flit.port;
  }
  Queue& queue_of(std::uint32_t key) {
    for (Queue& queue : queues_) {
      if (queue.key == key) return queue;
    }
    queues_.push_back({key, {}, {}});
    return queues_.back();
  }
  // All arrivals up to `now` have been announced: their order is final.
  void file(Fs now) {
    for (; inbox_.data() != nullptr && inbox_.data()->time <= now; inbox_.pop_data()) {
      queue_of(key_of(*inbox_.data())).flits.push_back(*inbox_.data());
      ++filed_;
    }
  }
  Fs due_of(const Queue& queue) const {
    if (queue.flits.empty()) return never_fs;
    const Arrival& flit = queue.flits.front();
    return hand_over_time(queue.server, flit.time, times_.latency_of(flit.is_first()));
  }
  Queue* first_due(Fs now) {
    Queue* first = nullptr;
    for (Queue& queue : queues_) {
      if (due_of(queue) > now) continue;
      if (first == nullptr || earlier(queue.flits.front(), first->flits.front())) first = &queue;
    }
    return first;
  }

  ArrivalQueue& inbox_;
  ServerTimes times_;
  Fs least_latency_;
  ServerPer per_;
  std::vector<Queue> queues_;  // one per server that has been used
  std::size_t filed_ = 0;
};

}  // namespace kernbench
