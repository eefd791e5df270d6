// A service of a router from outside: round-robin arbitration of every output, with a queue for
// each pair of input and output (models/fabric/router_service.h).
//
// A flit is ready when it has come, the first of a leg overhead_ns later. Whenever a link is free,
// the next input behind the one served last that has a ready flit for it sends one. Control
// messages go on overhead_ns after their arrival and neither wait nor hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/fabric/router_service.h"
#include "models/protocol/ring_buffer.h"

namespace kernbench::test {

class RoundRobinOutputs : public RouterService {
 public:
  static constexpr const char* description = "router with round-robin arbitration of its outputs";
  using Parameters = RouterParameters;
  RoundRobinOutputs(ArrivalQueue& inbox, const Parameters& parameters)
      : inbox_(inbox), overhead_(*parameters.overhead) {}

  Fs next_due() const {
    Fs due = inbox_.control_due(overhead_);
    if (const Arrival* next = inbox_.data()) due = std::min(due, next->time);
    for (const Output& output : outputs_) due = std::min(due, output.next_due());
    return due;
  }

  template <class PassOn>
  void serve(Fs now, PassOn pass_on) {
    inbox_.take_control(now, overhead_, [&](const Arrival& arrival) { pass_on(arrival, now); });
    while (inbox_.data() != nullptr && inbox_.data()->time <= now) {
      file(*inbox_.data());
      inbox_.pop_data();
    }
    for (Output& output : outputs_) {
      while (output.next_due() <= now) pass_on(take(output, now), now);
    }
  }

  void observe(Observables& to) {
    to.add_statistic("turns", "flits that went while another input waited for the link",
                     Quantity::count, turns_);
  }

 private:
  struct Waiting {
    Arrival flit;
    Fs ready = 0;
  };
  struct Output {
    std::vector<RingBuffer<Waiting>> inputs;
    std::size_t last = ~std::size_t{0};  // input served last; the first one is next at the start
    Fs free_at = 0;

    Fs next_due() const {
      Fs ready = never_fs;
      for (const RingBuffer<Waiting>& input : inputs) {
        if (!input.empty()) ready = std::min(ready, input.front().ready);
      }
      return ready == never_fs ? never_fs : std::max(ready, free_at);
    }
  };

  void file(const Arrival& flit) {
    const std::size_t port = flit.transaction->route().path->out_port(flit.position);
    if (outputs_.size() <= port) outputs_.resize(port + 1);
    Output& output = outputs_[port];
    if (output.inputs.size() <= flit.port) output.inputs.resize(flit.port + 1);
    RingBuffer<Waiting>& input = output.inputs[flit.port];
    const Fs ready = flit.time + (flit.is_first() ? overhead_ : 0);
    input.push_back({flit, input.empty() ? ready : std::max(ready, ready_of_last(input))});
  }
  static Fs ready_of_last(const RingBuffer<Waiting>& input) { return input.back().ready; }

  Arrival take(Output& output, Fs now) {
    std::size_t waiting = 0, next = output.inputs.size();
    for (std::size_t i = output.inputs.size(); i > 0; --i) {
      const std::size_t input = (output.last + i) % output.inputs.size();
      if (output.inputs[input].empty() || output.inputs[input].front().ready > now) continue;
      ++waiting;
      next = input;  // at the end, the first one behind `last`
    }
    if (waiting > 1) ++turns_;
    const Arrival flit = output.inputs[next].front().flit;
    output.inputs[next].pop_front();
    output.last = next;
    const RouteExtension& route = flit.transaction->route();
    output.free_at =
        now + transfer_fs(route.bytes_of(flit.flit), route.path->hop(flit.position).bw_gbs);
    return flit;
  }

  ArrivalQueue& inbox_;
  Fs overhead_;
  std::vector<Output> outputs_;
  std::uint64_t turns_ = 0;
};

}  // namespace kernbench::test
