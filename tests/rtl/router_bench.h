// A Verilated router alone, without the platform: senders and receivers that keep account of
// credits, and check what comes out.
#pragma once

#include "models/rtl/verilator_runtime.h"
// The runtime of Verilator comes first.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/rtl/block_calls.h"
#include "models/rtl/pins.h"

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
    for (auto& port : in_credits_) port.assign(CHANNELS + 1, PLACES);
    for (auto& port : taken_) port.assign(CHANNELS + 1, 0);
    for (auto& port : open_) port.assign(CHANNELS + 1, nullptr);
    for (auto& port : under_way_) port.assign(CHANNELS + 1, nullptr);
    model_->rst_n = 0;
    settle();
    for (int i = 0; i < 2; ++i) tick();
    model_->rst_n = 1;
    settle();
  }

  // Packets wait at their input, in order per class.
  TestPacket& add(const TestPacket& packet) {
    packets_.push_back(std::make_unique<TestPacket>(packet));
    waiting_[packet.in].push_back(packets_.back().get());
    return *packets_.back();
  }
  // In front of those that wait.
  TestPacket& add_first(const TestPacket& packet) {
    packets_.push_back(std::make_unique<TestPacket>(packet));
    waiting_[packet.in].push_front(packets_.back().get());
    return *packets_.back();
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
  Model& pins() { return *model_; }
  void drive_flit(unsigned port, unsigned channel, bool head, bool tail, unsigned route,
                  std::uint64_t tag) {
    set_bits(&model_->in_valid, port, 1, 1);
    set_bits(&model_->in_channel, port * 4, 4, channel);
    set_bits(&model_->in_head, port, 1, head ? 1 : 0);
    set_bits(&model_->in_tail, port, 1, tail ? 1 : 0);
    set_bits(&model_->in_route, port * 3, 3, route);
    set_bits(&model_->in_tag, port * 64, 64, tag);
  }
  void drive_credit(unsigned port, unsigned channel) {
    set_bits(&model_->out_credit, port * (CHANNELS + 1) + channel, 1, 1);
  }
  void clear() {
    set_bits(&model_->in_valid, 0, PORTS, 0);
    for (unsigned p = 0; p < PORTS; ++p)
      set_bits(&model_->out_credit, p * (CHANNELS + 1), CHANNELS + 1, 0);
  }
  void raw_cycle() {
    settle();
    tick();
    clear();
    settle();
  }

 private:
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
    clear();
    drive();
    settle();
  }

  void sample() {
    for (unsigned p = 0; p < PORTS; ++p) {
      for (unsigned c = 0; c <= CHANNELS; ++c)
        in_credits_[p][c] +=
            static_cast<unsigned>(bits_of(&model_->in_credit, p * (CHANNELS + 1) + c, 1));
      if (bits_of(&model_->out_valid, p, 1) != 0) receive(p);
    }
  }

  static void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  }

  void receive(unsigned port) {
    const auto channel = static_cast<unsigned>(bits_of(&model_->out_channel, port * 4, 4));
    const std::uint64_t tag = bits_of(&model_->out_tag, port * 64, 64);
    const bool head = bits_of(&model_->out_head, port, 1) != 0;
    const bool tail = bits_of(&model_->out_tail, port, 1) != 0;
    require(tag >> 16 < packets_.size(), "a tag that was never sent");
    TestPacket& packet = *packets_[tag >> 16];
    require(packet.out == port, "a flit at the wrong output");
    require(bits_of(&model_->out_route, port * 3, 3) == port, "a flit with another route");
    require((tag & 0xffff) == packet.received, "flits of a packet out of order");
    require(head == (packet.received == 0), "head");
    require(tail == (packet.received + 1 == packet.flits), "tail");
    require(packet.control == (channel == control), "control messages have a channel of their own");
    if (!packet.control && CHANNELS > 1)
      require((channel >= CHANNELS / 2) == packet.response, "a channel of the other half");
    TestPacket*& open = open_[port][channel];
    require(open == (head ? nullptr : &packet), "packets are mixed in a channel");
    open = tail ? nullptr : &packet;
    require(++taken_[port][channel] <= PLACES, "more flits than places");
    ++packet.received;
    ++flits_out_[port];
    if (!tail) return;
    packet.left = cycle_ + 1;
    ++delivered_;
  }

  void drive() {
    for (unsigned p = 0; p < PORTS; ++p) {
      if (chance(send)) send_one(p);
      for (unsigned c = 0; c <= CHANNELS; ++c) {
        if (!with_credits || taken_[p][c] == 0 || !chance(drain)) continue;
        --taken_[p][c];
        drive_credit(p, c);
      }
    }
  }

  // A waiting packet takes a free channel of its class; then one channel with a credit sends.
  void send_one(unsigned port) {
    std::deque<TestPacket*>& waiting = waiting_[port];
    for (bool taken = true; taken && !waiting.empty();) {
      taken = false;
      const unsigned channel = free_channel(port, *waiting.front());
      if (channel > CHANNELS) break;
      under_way_[port][channel] = waiting.front();
      waiting.pop_front();
      taken = true;
    }
    std::vector<unsigned> ready;
    for (unsigned c = 0; c <= CHANNELS; ++c) {
      if (under_way_[port][c] != nullptr && in_credits_[port][c] > 0) ready.push_back(c);
    }
    if (ready.empty()) return;
    const unsigned channel = ready[below(static_cast<unsigned>(ready.size()))];
    TestPacket& packet = *under_way_[port][channel];
    if (packet.sent == 0) packet.entered = cycle_;
    const std::uint64_t tag = id_of(packet) << 16 | packet.sent;
    const bool tail = packet.sent + 1 == packet.flits;
    drive_flit(port, channel, packet.sent == 0, tail, packet.out, tag);
    ++packet.sent;
    --in_credits_[port][channel];
    ++flits_in_[port];
    if (tail) under_way_[port][channel] = nullptr;
  }
  unsigned free_channel(unsigned port, const TestPacket& packet) const {
    if (packet.control) return under_way_[port][control] == nullptr ? control : CHANNELS + 1;
    const unsigned half = CHANNELS / 2;
    const unsigned first = CHANNELS == 1 || !packet.response ? 0 : half;
    const unsigned end = CHANNELS == 1 || packet.response ? CHANNELS : half;
    for (unsigned c = first; c < end; ++c) {
      if (under_way_[port][c] == nullptr) return c;
    }
    return CHANNELS + 1;
  }
  std::uint64_t id_of(const TestPacket& packet) {
    if (ids_.size() < packets_.size()) {
      for (std::size_t i = ids_.size(); i < packets_.size(); ++i) ids_[packets_[i].get()] = i;
    }
    return ids_[&packet];
  }

  std::mt19937 random_;
  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  std::uint64_t cycle_ = 0;
  std::vector<std::unique_ptr<TestPacket>> packets_;
  std::map<const TestPacket*, std::uint64_t> ids_;
  std::size_t delivered_ = 0;
  std::deque<TestPacket*> waiting_[PORTS];
  std::vector<TestPacket*> under_way_[PORTS], open_[PORTS];
  std::vector<unsigned> in_credits_[PORTS], taken_[PORTS];
  unsigned flits_out_[PORTS] = {}, flits_in_[PORTS] = {};
};

}  // namespace kernbench::test
