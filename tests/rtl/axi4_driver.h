// Drives the AXI4 pins of a verilated memory by itself, without a simulation of SystemC: random
// gaps on every channel, and the violations that the rules have reported. Write data follow their
// address, unless the test has it otherwise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/rtl/axi4_manager.h"
#include "models/rtl/block_calls.h"

namespace kernbench::test {

struct AddressBeat {
  unsigned id = 0;
  std::uint64_t address = 0;
  unsigned length = 0, size = 0, burst = 1;
};
struct DataBeat {
  std::vector<unsigned char> bytes, strobes;  // by lane
  bool last = false;
};
// Of 64 bits; the first lanes are written.
inline DataBeat write_beat(bool last, unsigned lanes = 8) {
  std::vector<unsigned char> strobes(8, 0);
  std::fill_n(strobes.begin(), lanes, 1);
  return {std::vector<unsigned char>(8, 0x5a), strobes, last};
}
struct Answer {
  unsigned id = 0, resp = 0;
  std::vector<unsigned char> bytes;  // by lane, of a read
  bool last = false;
};

template <class Model>
class Axi4Driver final : public BlockCalls {
 public:
  // `gaps`: of 100 cycles, those in which a channel is quiet.
  Axi4Driver(unsigned data_bytes, unsigned gaps, unsigned seed)
      : data_bytes_(data_bytes), gaps_(gaps), random_(seed),
        pins_(axi4_pins_of(model_, data_bytes)) {
    reset();
    // No valid may be 1 in the first cycle.
    const Scope scope(this);
    tick();
  }
  ~Axi4Driver() { model_.final(); }

  std::deque<AddressBeat> writes, reads;
  std::deque<DataBeat> data;
  std::vector<Answer> write_answers, read_answers;
  std::vector<std::string> violations;  // "RULE PIN"
  std::uint64_t cycles = 0;
  bool takes_responses = true;      // else bready and rready stay 0
  bool data_behind_address = true;  // else write data do not wait for theirs

  void reset() {
    const Scope scope(this);
    model_.rst_n = 0;
    for (int i = 0; i < 2; ++i) tick();
    model_.rst_n = 1;
    settle();
  }
  // An error if it takes more cycles than any case here needs.
  template <class Condition>
  void run_until(const char* what, Condition condition) {
    constexpr std::uint64_t most = 2000;
    const std::uint64_t begin = cycles;
    while (!condition()) {
      if (cycles - begin == most)
        throw std::runtime_error("no " + std::string(what) + " within " + std::to_string(most) +
                                 " cycles");
      cycle();
    }
  }
  void run(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) cycle();
  }
  void cycle() {
    const Scope scope(this);
    drive();
    settle();
    take();
    tick();
    ++cycles;
  }
  const Axi4Pins& pins() const { return pins_; }

 private:
  void rule_broken(const std::string& rule, const std::string& signal) override {
    violations.push_back(rule + " " + signal);
  }
  void gave_up(const std::string& how) override { violations.push_back(how); }
  void printed(const std::string&) override {}

  bool now() { return random_() % 100 >= gaps_; }
  // An offer that waits stays.
  template <class Beats>
  bool offered(std::uint8_t valid, const Beats& beats) {
    return !beats.empty() && (valid != 0 || now());
  }
  void drive() {
    *pins_.awvalid = offered(*pins_.awvalid, writes);
    *pins_.arvalid = offered(*pins_.arvalid, reads);
    *pins_.wvalid = offered(*pins_.wvalid, data) && address_taken();
    if (*pins_.awvalid) {
      const AddressBeat& a = writes.front();
      set(a, pins_.awid, pins_.awaddr, pins_.awlen, pins_.awsize, pins_.awburst);
    }
    if (*pins_.arvalid) {
      const AddressBeat& a = reads.front();
      set(a, pins_.arid, pins_.araddr, pins_.arlen, pins_.arsize, pins_.arburst);
    }
    if (*pins_.wvalid) {
      const DataBeat& beat = data.front();
      std::memcpy(pins_.wdata, beat.bytes.data(), data_bytes_);
      for (unsigned lane = 0; lane < data_bytes_; ++lane)
        set_bits(pins_.wstrb, lane, 1, beat.strobes[lane]);
      *pins_.wlast = beat.last;
    }
    *pins_.bready = takes_responses && now();
    *pins_.rready = takes_responses && now();
  }
  static void set(const AddressBeat& a, std::uint8_t* id, std::uint32_t* address,
                  std::uint8_t* length, std::uint8_t* size, std::uint8_t* burst) {
    *id = static_cast<std::uint8_t>(a.id);
    *address = static_cast<std::uint32_t>(a.address);
    *length = static_cast<std::uint8_t>(a.length);
    *size = static_cast<std::uint8_t>(a.size);
    *burst = static_cast<std::uint8_t>(a.burst);
  }
  bool address_taken() const { return !data_behind_address || bursts_of_data_ < addresses_taken_; }

  void take() {
    if (*pins_.awvalid && *pins_.awready) {
      writes.pop_front();
      ++addresses_taken_;
      aw_ = true;
    }
    if (*pins_.wvalid && *pins_.wready) {
      bursts_of_data_ += data.front().last ? 1 : 0;
      data.pop_front();
      w_ = true;
    }
    if (*pins_.arvalid && *pins_.arready) {
      reads.pop_front();
      ar_ = true;
    }
    if (*pins_.bvalid && *pins_.bready)
      write_answers.push_back({*pins_.bid, *pins_.bresp, {}, true});
    if (*pins_.rvalid && *pins_.rready) {
      const auto* const bytes = static_cast<const unsigned char*>(pins_.rdata);
      read_answers.push_back(
          {*pins_.rid, *pins_.rresp, {bytes, bytes + data_bytes_}, *pins_.rlast != 0});
    }
  }
  void settle() {
    model_.clk = 0;
    model_.eval();
  }
  void tick() {
    model_.clk = 1;
    model_.eval();
    // What has been taken is not offered any more.
    if (aw_) *pins_.awvalid = 0;
    if (w_) *pins_.wvalid = 0;
    if (ar_) *pins_.arvalid = 0;
    aw_ = w_ = ar_ = false;
    settle();
  }

  unsigned data_bytes_, gaps_;
  std::mt19937 random_;
  Model model_;
  Axi4Pins pins_;
  bool aw_ = false, w_ = false, ar_ = false;
  std::uint64_t addresses_taken_ = 0, bursts_of_data_ = 0;
};

}  // namespace kernbench::test
