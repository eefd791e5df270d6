// Pins of a Verilated block of any width: their bits, and their trace signals.
//
// Verilator keeps a pin in the smallest of 8, 16, 32 and 64 bits that holds it, a wider one in
// words of 32 bits, least significant first. On a little-endian host a pin is thus a run of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/observables.h"
#include "models/base/trace_signal.h"

namespace kernbench {

struct Pin {
  enum class Kind : std::uint8_t { input, control, data };

  const char* name = "";
  const char* description = "";
  unsigned bits = 1;
  Kind kind = Kind::input;  // control, data: an output
  void* at = nullptr;       // address in the Verilated model
  unsigned lane_bits = 0;   // a signal per lane of so many bits; 0: no lanes
  SignalType shown_as = SignalType::count;
  const void* valid = nullptr;  // pin that is 1 while a data output is valid

  std::size_t bytes() const;
};
using Pins = std::vector<Pin>;

// width: 1 to 64.
std::uint64_t bits_of(const void* pin, unsigned first, unsigned width);
void set_bits(void* pin, unsigned first, unsigned width, std::uint64_t value);

// Trace signals of pins: one each, or one per lane: a_data_0, a_data_1, ...
class PinSignals final : public SignalGroup {
 public:
  class Listener {
   public:
    virtual void pins_observed(bool observed) = 0;

   protected:
    ~Listener() = default;
  };
  PinSignals(Observables to, const Pins& pins, Listener& listener);
  // Costs nothing without an observer.
  void show() {
    if (observed()) set_all();
  }

 private:
  struct Shown {
    TraceSignal* signal;
    const void* pin;
    unsigned first, width;
  };
  void begin_observation() override;
  void end_observation() override;
  void set_all();

  Listener& listener_;
  std::vector<Shown> shown_;
};

// First output that differs between two models of one block: an unknown value differs between the
// models. Data outputs count while their valid pin is 1. Null: no difference.
const Pin* first_difference(const Pins& a, const Pins& b);
void copy_inputs(const Pins& from, const Pins& to);
void clear_inputs(const Pins& pins);

}  // namespace kernbench
