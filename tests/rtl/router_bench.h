// A Verilated router alone, without the platform: senders and receivers that keep account of
// credits, and check what comes out.
#pragma once

#include "models/rtl/verilator_runtime.h"
// The runtime of Verilator comes first.
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/rtl/block_calls.h"
#include "models/rtl/router_model.h"

namespace kernbench::test {

struct RuleBroken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a packet is to the test; its flits carry tags of id and number.
struct TestPacket {
  unsigned in = 0, out = 0, flits = 1;
  bool response = false, control = false;
  std::uint64_t entered = 0;  // cycle at whose end its head is at the pins
  std::uint64_t left = 0;     // edge before which its tail is at the output pins
  unsigned sent = 0, received = 0;
  std::uint64_t id = 0;  // in order of their addition
};

template <class Model, unsigned PORTS, unsigned CHANNELS, unsigned PLACES>
class RouterBench final : private BlockCalls {
 public:
  static constexpr unsigned control = CHANNELS;  // data channels: 0 to CHANNELS - 1
  static constexpr unsigned ports = PORTS, channels = CHANNELS, places = PLACES;

  explicit RouterBench(unsigned seed = 1) : random_(seed) {
    context_.randReset(0);
    const BlockCalls::Scope scope(this);
    Verilated::threadContextp(&context_);
    model_ = std::make_unique<Model>(&context_, "top");
    pins_ = std::make_unique<RouterInterface>(RouterShape{PORTS, CHANNELS, PLACES},
                                              RouterPins::of(*model_));
    for (auto& port : in_credits_) port.assign(CHANNELS + 1, PLACES);
    for (auto& port : taken_) port.assign(CHANNELS + 1, 0);
    for (auto& port : open_) port.assign(CHANNELS + 1, nullptr);
    for (auto& port : in_flight_) port.assign(CHANNELS + 1, nullptr);
    model_->rst_n = 0;
    settle();
    for (int i = 0; i < 2; ++i) tick();
    model_->rst_n = 1;
    settle();
  }

  // Packets wait at their input, in order per class.
  TestPacket& add(const TestPacket& packet) {
    TestPacket& added = keep(packet);
    waiting_[packet.in].push_back(&added);
    return added;
  }
  // In front of those that wait.
  TestPacket& add_first(const TestPacket& packet) {
    TestPacket& added = keep(packet);
    waiting_[packet.in].push_front(&added);
    return added;
  }
  std::size_t delivered() const { return delivered_; }
  std::uint64_t cycle() const { return cycle_; }
  bool done() const { return delivered_ == packets_.size(); }
  unsigned flits_out(unsigned port) const { return flits_out_[port]; }
  unsigned flits_in(unsigned port) const { return flits_in_[port]; }

  double drain = 1.0;        // chance that a receiver gives a place back in a cycle
  double send = 1.0;         // chance that an input sends in a cycle
  bool with_credits = true;  // receivers give places back

  void cycles(unsigned count) {
    for (unsigned i = 0; i < count; ++i) one_cycle();
  }
  // False: packets are left after so many cycles.
  bool run(unsigned most) {
    for (unsigned i = 0; i < most && !done(); ++i) one_cycle();
    return done();
  }
  // The pins as the test sets them, for one cycle; nothing is checked but by the rules.
  RouterInterface& pins() { return *pins_; }
  void raw_cycle() {
    settle();
    tick();
    pins_->clear();
    settle();
  }

 private:
  TestPacket& keep(const TestPacket& packet) {
    packets_.push_back(std::make_unique<TestPacket>(packet));
    packets_.back()->id = packets_.size() - 1;
    return *packets_.back();
  }
  void rule_broken(const std::string& rule, const std::string& signal) override {
    throw RuleBroken(rule + " at " + signal);
  }
  void gave_up(const std::string& how) override { throw std::runtime_error(how); }
  void printed(const std::string&) override {}

  bool chance(double share) { return std::uniform_real_distribution<>(0, 1)(random_) < share; }
  unsigned below(unsigned end) {
    return std::uniform_int_distribution<unsigned>(0, end - 1)(random_);
  }

  void eval(int clock) {
    const BlockCalls::Scope scope(this);
    Verilated::threadContextp(&context_);
    model_->clk = static_cast<CData>(clock);
    model_->eval();
  }
  void settle() { eval(0); }
  void tick() {
    eval(1);
    ++cycle_;
  }

  void one_cycle() {
    sample();
    tick();
    pins_->clear();
    drive();
    settle();
  }

  void sample() {
    for (unsigned p = 0; p < PORTS; ++p) {
      const std::uint64_t credits = pins_->credits(p);
      for (unsigned c = 0; c <= CHANNELS; ++c) in_credits_[p][c] += credits >> c & 1;
      if (pins_->gives_flit(p)) receive(p, pins_->flit(p));
    }
  }

  static void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  }

  void receive(unsigned port, const PinFlit& flit) {
    require(flit.tag >> 16 < packets_.size(), "a tag that was never sent");
    TestPacket& packet = *packets_[flit.tag >> 16];
    require(packet.out == port, "a flit at the wrong output");
    require(flit.route == port, "a flit with another route");
    require((flit.tag & 0xffff) == packet.received, "flits of a packet out of order");
    require(flit.head == (packet.received == 0), "head");
    require(flit.tail == (packet.received + 1 == packet.flits), "tail");
    require(packet.control == (flit.channel == control),
            "control messages have a channel of their own");
    if (!packet.control && CHANNELS > 1)
      require((flit.channel >= CHANNELS / 2) == packet.response, "a channel of the other half");
    TestPacket*& open = open_[port][flit.channel];
    require(open == (flit.head ? nullptr : &packet), "packets are mixed in a channel");
    open = flit.tail ? nullptr : &packet;
    require(++taken_[port][flit.channel] <= PLACES, "more flits than places");
    ++packet.received;
    ++flits_out_[port];
    if (!flit.tail) return;
    packet.left = cycle_ + 1;
    ++delivered_;
  }

  void drive() {
    for (unsigned p = 0; p < PORTS; ++p) {
      if (chance(send)) send_one(p);
      std::uint64_t credits = 0;
      for (unsigned c = 0; c <= CHANNELS; ++c) {
        if (!with_credits || taken_[p][c] == 0 || !chance(drain)) continue;
        --taken_[p][c];
        credits |= std::uint64_t{1} << c;
      }
      pins_->drive_credits(p, credits);
    }
  }

  // A waiting packet takes a free channel of its class; then one channel with a credit sends.
  void send_one(unsigned port) {
    std::deque<TestPacket*>& waiting = waiting_[port];
    while (!waiting.empty()) {
      const unsigned channel = free_channel(port, *waiting.front());
      if (channel > CHANNELS) break;
      in_flight_[port][channel] = waiting.front();
      waiting.pop_front();
    }
    std::vector<unsigned> ready;
    for (unsigned c = 0; c <= CHANNELS; ++c) {
      if (in_flight_[port][c] != nullptr && in_credits_[port][c] > 0) ready.push_back(c);
    }
    if (ready.empty()) return;
    const unsigned channel = ready[below(static_cast<unsigned>(ready.size()))];
    TestPacket& packet = *in_flight_[port][channel];
    if (packet.sent == 0) packet.entered = cycle_;
    const bool tail = packet.sent + 1 == packet.flits;
    pins_->drive(port,
                 {channel, packet.sent == 0, tail, packet.out, packet.id << 16 | packet.sent});
    ++packet.sent;
    --in_credits_[port][channel];
    ++flits_in_[port];
    if (tail) in_flight_[port][channel] = nullptr;
  }
  unsigned free_channel(unsigned port, const TestPacket& packet) const {
    if (packet.control) return in_flight_[port][control] == nullptr ? control : CHANNELS + 1;
    const unsigned half = CHANNELS / 2;
    const unsigned first = CHANNELS == 1 || !packet.response ? 0 : half;
    const unsigned end = CHANNELS == 1 || packet.response ? CHANNELS : half;
    for (unsigned c = first; c < end; ++c) {
      if (in_flight_[port][c] == nullptr) return c;
    }
    return CHANNELS + 1;
  }

  std::mt19937 random_;
  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<RouterInterface> pins_;
  std::uint64_t cycle_ = 0;
  std::vector<std::unique_ptr<TestPacket>> packets_;
  std::size_t delivered_ = 0;
  std::deque<TestPacket*> waiting_[PORTS];
  std::vector<TestPacket*> in_flight_[PORTS], open_[PORTS];
  std::vector<unsigned> in_credits_[PORTS], taken_[PORTS];
  unsigned flits_out_[PORTS] = {}, flits_in_[PORTS] = {};
};

}  // namespace kernbench::test
