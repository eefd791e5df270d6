// Service policy of a switch (spec 2.4): one serial server, as in other routers, or with
// `serial_per: port` one for each pair of an input and an output, as in a crossbar.
//
// Timing of a pair: that of the serial server (models/timing/router_state.h), among the flits of
// this pair. Flits of several pairs whose service ends at one instant are forwarded in order of
// arrival, by the tie rule. Control messages are served as in other routers. Not modelled: an
// output that accepts one flit at a time (its link does).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/noc/router.h"

namespace kernbench {

class PortPairs {
 public:
  explicit PortPairs(Fs overhead) : overhead_(overhead) {}

  void file(const Arrival& flit) {
    const std::size_t output = flit.transaction->route().path->out_port(flit.position);
    for (Pair& pair : pairs_) {
      if (pair.input == flit.port && pair.output == output) return pair.flits.push_back(flit);
    }
    pairs_.push_back({flit.port, output, {}, {}});
    pairs_.back().flits.push_back(flit);
  }
  Fs next_due() const {
    Fs due = never_fs;
    for (const Pair& pair : pairs_) due = std::min(due, due_of(pair));
    return due;
  }
  // Calls pass_on(arrival, start) for every arrival whose service ends at `now`.
  template <class PassOn>
  void serve(Fs now, PassOn pass_on) {
    for (Pair* pair = first_due(now); pair != nullptr; pair = first_due(now)) {
      const Arrival flit = pair->flits.front();
      pair->flits.pop_front();
      advance(pair->server, flit.time, hold_of(flit));
      pass_on(flit, now - hold_of(flit));
    }
  }
  // Summed over the pairs.
  Fs held(Fs now) const {
    Fs held = 0;
    for (const Pair& pair : pairs_) {
      if (pair.flits.empty()) continue;
      const Fs start = hand_over_time(pair.server, pair.flits.front().time, 0);
      if (start < now) held += std::min(now - start, hold_of(pair.flits.front()));
    }
    return held;
  }

  // Stall time of first flits that have not been passed on.
  Fs stalled(Fs now) const {
    Fs stalled = 0;
    for (const Pair& pair : pairs_) {
      for (std::size_t i = 0; i < pair.flits.size(); ++i) {
        if (pair.flits[i].is_first()) stalled += now - pair.flits[i].time;
      }
    }
    return stalled - held(now);
  }

 private:
  struct Pair {
    std::size_t input, output;
    RouterState server;
    RingBuffer<Arrival> flits;
  };

  Fs hold_of(const Arrival& flit) const { return flit.is_first() ? overhead_ : 0; }
  Fs due_of(const Pair& pair) const {
    if (pair.flits.empty()) return never_fs;
    const Arrival& flit = pair.flits.front();
    return hand_over_time(pair.server, flit.time, hold_of(flit));
  }
  Pair* first_due(Fs now) {
    Pair* first = nullptr;
    for (Pair& pair : pairs_) {
      if (due_of(pair) > now) continue;
      if (first == nullptr || earlier(pair.flits.front(), first->flits.front())) first = &pair;
    }
    return first;
  }

  Fs overhead_;
  std::vector<Pair> pairs_;  // pairs with arrivals so far
};

class SwitchService : public RouterService {
 public:
  static constexpr const char* description = "switch between SIPs";
  struct Parameters : RouterParameters {
    using RouterParameters::RouterParameters;
    Param<std::string> serial_per{
        *this,
        Parameter::choice("serial_per", "owner of a serial server: the node, or each pair of ports",
                          {"node", "port"}, "spec 2.4")
            .default_val("node")};
  };

  SwitchService(ArrivalQueue& inbox, const Parameters& parameters)
      : inbox_(inbox), overhead_(*parameters.overhead), by_pair_(*parameters.serial_per == "port"),
        whole_(inbox, overhead_), pairs_(overhead_) {}

  Fs next_due() const {
    if (!by_pair_) return whole_.next_due();
    const Fs filed = std::min(inbox_.control_due(overhead_), pairs_.next_due());
    return inbox_.data() == nullptr ? filed : std::min(filed, inbox_.data()->time);
  }
  template <class PassOn>
  void serve(Fs now, PassOn pass_on) {
    if (!by_pair_) return whole_.serve(now, pass_on);
    inbox_.take_control(now, overhead_,
                        [&](const Arrival& message) { pass_on(message, message.time); });
    for (; inbox_.data() != nullptr && inbox_.data()->time <= now; inbox_.pop_data())
      pairs_.file(*inbox_.data());
    pairs_.serve(now, pass_on);
  }
  Fs held(Fs now) const { return by_pair_ ? pairs_.held(now) : whole_.held(now); }
  Fs stalled(Fs now) const { return by_pair_ ? pairs_.stalled(now) : whole_.stalled(now); }

 private:
  ArrivalQueue& inbox_;
  Fs overhead_;
  bool by_pair_;
  SerialIngress whole_;
  PortPairs pairs_;
};

extern template class RouterNode<SwitchService>;

}  // namespace kernbench
