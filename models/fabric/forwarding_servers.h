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
// one event per flit and node where all flits have a latency. Later flits of a leg may be handed
// over as a run (spec 2.11): those that are filed, and those that follow them in the inbox, up to
// the first arrival of another input at the server. Where each pair of ports has a server, up to
// the first flit of another input that may be handed over to the same output before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/parameter_set.h"
#include "models/fabric/served_run.h"
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
    serve(
        now, hand_over, [](const Arrival&) { return false; },
        [](const ServedRun&) -> std::uint32_t { return 0; });
  }
  // The same. If takes_runs(flit) holds for a later flit of a leg, hand_over_run(const ServedRun&)
  // is called with it and with flits behind it that may be announced; returns how many it has
  // handed over.
  template <class HandOver, class TakesRuns, class HandOverRun>
  void serve(Fs now, HandOver hand_over, TakesRuns takes_runs, HandOverRun hand_over_run) {
    file(now);
    for (;;) {
      Queue* queue = first_due(now);
      const Arrival* message =
          inbox_.control_due(times_.latency) <= now ? inbox_.control() : nullptr;
      if (queue != nullptr && (message == nullptr || earlier(queue->flits.front(), *message))) {
        const Arrival flit = queue->flits.front();
        if (!flit.is_first() && takes_runs(flit)) {
          ServedRun run = run_of(*queue);
          run.flits.count = run.flits.count > 1 ? hand_over_run(run) : 0;
          if (run.flits.count > 0) {
            const std::uint32_t filed = std::min(flit.count, run.flits.count);
            take(*queue, filed);
            if (filed < run.flits.count) inbox_.take(flit.port, run.flits.count - filed);
            queue->server.free_at = run.end();
            queue->ends_with_run = true;
            continue;
          }
        }
        take(*queue, 1);
        const Fs start = hand_over_time(queue->server, flit.time, 0);
        advance(queue->server, flit.time, hold_of(flit));
        queue->ends_with_run = false;
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

  // Number of flits of an announced run that `other`, which has not been filed, does not affect.
  std::uint32_t unaffected(const ServedRun& run, const Arrival& other) const {
    const Arrival& flits = run.flits;
    if (other.port == flits.port) return flits.count;
    if (per_ == ServerPer::port) {
      const bool same_output =
          run.last_hand_over() >= other.time && output_of(other) == output_of(flits);
      return same_output ? run.handed_over_before(earliest_hand_over(other)) : flits.count;
    }
    const bool same_server = flits.last_time() >= other.time && key_of(other) == key_of(flits);
    return same_server ? flits_before(flits, other) : flits.count;
  }
  // The server of a run has not served the flits behind it.
  void withdraw(const ServedRun& run) { queue_of(key_of(run.flits)).server.free_at = run.end(); }
  // Queues flits again that have been withdrawn.
  void put_back(const Arrival& flits, Fs now) {
    const std::uint32_t arrived = flits_until(flits.time, flits.spacing, flits.count, now + 1);
    if (arrived < flits.count) inbox_.put_back(flits.from(arrived));
    if (arrived == 0) return;
    Arrival filed = flits;
    filed.count = arrived;
    queue_of(key_of(flits)).flits.push_front(filed);
    filed_ += arrived;
  }

  // Time up to `now` for which flits that have not been handed over have held their servers, less
  // the time after `now` of flits that have been; summed over the servers, without runs that are
  // announced.
  std::int64_t held(Fs now) {
    file(now);
    std::int64_t held = 0;
    for (const Queue& queue : queues_) {
      const Fs free_at = queue.server.free_at;
      const bool announced =
          queue.ends_with_run && free_at - times_.later_hold + times_.later_latency > now;
      if (free_at > now && !announced) held -= static_cast<std::int64_t>(free_at - now);
      for_each_start(queue, [&](const Arrival& flit, Fs start) {
        if (start < now) held += static_cast<std::int64_t>(std::min(now - start, hold_of(flit)));
      });
    }
    return held;
  }
  // Time up to `now` for which first flits that have not been handed over were queued.
  Fs stalled(Fs now) {
    file(now);
    Fs stalled = 0;
    for (const Queue& queue : queues_) {
      for_each_start(queue, [&](const Arrival& flit, Fs start) {
        if (flit.is_first()) stalled += std::min(start, now) - flit.time;
      });
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
    bool ends_with_run = false;  // the server is free when a run has left it
    RouterState server;
    RingBuffer<Arrival> flits;  // arrived, in order
  };

  static std::uint32_t output_of(const Arrival& flit) {
    return flit.transaction->route().path->out_port(flit.position);
  }
  std::uint32_t key_of(const Arrival& flit) const {
    if (per_ == ServerPer::node) return 0;
    const std::uint32_t output = output_of(flit);
    return per_ == ServerPer::direction ? output : output << 16 | flit.port;
  }
  Fs earliest_hand_over(const Arrival& flit) const {
    return flit.time + times_.latency_of(flit.is_first());
  }
  Queue& queue_of(std::uint32_t key) {
    for (Queue& queue : queues_) {
      if (queue.key == key) return queue;
    }
    queues_.push_back({key, false, {}, {}});
    return queues_.back();
  }
  // All arrivals up to `now` have been announced: their order is final.
  void file(Fs now) {
    for (const Arrival* head = inbox_.data(); head != nullptr && head->time <= now;
         head = inbox_.data()) {
      Arrival run = *head;
      const std::uint32_t key = key_of(run);
      if (run.count > 1) {
        run.count = flits_until(run.time, run.spacing, run.count, now + 1);
        run.count = inbox_.flits_before_interference(
            run, [this, key](const Arrival& other) { return key_of(other) == key; });
      }
      inbox_.take(run.count);
      filed_ += run.count;
      RingBuffer<Arrival>& flits = queue_of(key).flits;
      if (flits.empty() || !flits.back().append(run)) flits.push_back(run);
    }
  }
  void take(Queue& queue, std::uint32_t count) {
    Arrival& front = queue.flits.front();
    filed_ -= count;
    if (count < front.count) {
      front = front.from(count);
    } else {
      queue.flits.pop_front();
    }
  }
  // The flits of a queue's front, and those behind them in the inbox, that no known arrival
  // affects.
  ServedRun run_of(const Queue& queue) const {
    ServedRun run{queue.flits.front(), queue.server.free_at, times_.later_hold,
                  times_.later_latency};
    Arrival& flits = run.flits;
    const Arrival* next = queue.flits.size() == 1 ? inbox_.data(flits.port) : nullptr;
    const bool extended = next != nullptr && flits.append(*next);
    if (flits.count == 1) return run;
    if (per_ == ServerPer::port) {
      flits.count = std::max(1U, run.handed_over_before(earliest_other(queue, run)));
    } else if (extended) {
      flits.count = inbox_.flits_before_interference(
          flits, [&](const Arrival& other) { return key_of(other) == queue.key; });
    }
    return run;
  }
  // Time before which no other input hands a flit over to the output of a run of a queue, as far as
  // it matters to the run.
  Fs earliest_other(const Queue& queue, const ServedRun& run) const {
    Fs earliest = never_fs;
    for (const Queue& other : queues_) {
      if (&other != &queue && other.key >> 16 == queue.key >> 16)
        earliest = std::min(earliest, due_of(other));
    }
    inbox_.for_each_other(run.flits.port, run.last_hand_over(), [&](const Arrival& other) {
      if (output_of(other) != queue.key >> 16) return false;
      earliest = std::min(earliest, earliest_hand_over(other));
      return true;
    });
    return earliest;
  }
  // Calls visit(const Arrival& flit, Fs start) for each flit of a queue.
  template <class Visit>
  void for_each_start(const Queue& queue, Visit visit) const {
    Fs free_at = queue.server.free_at;
    for (std::size_t i = 0; i < queue.flits.size(); ++i) {
      for (std::uint32_t j = 0; j < queue.flits[i].count; ++j) {
        const Arrival flit = queue.flits[i].from(j);
        const Fs start = std::max(flit.time, free_at);
        visit(flit, start);
        free_at = start + hold_of(flit);
      }
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
