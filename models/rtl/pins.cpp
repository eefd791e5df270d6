#include "models/rtl/pins.h"

#include <cstring>

namespace kernbench {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

namespace {

std::uint64_t mask_of(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

SignalFormat format_of(SignalType type, unsigned width) {
  if (width == 1) return SignalFormat::flag();
  if (type == SignalType::address) return SignalFormat::address(width);
  return SignalFormat::count("", width);
}

}  // namespace

std::size_t Pin::bytes() const {
  if (bits <= 8) return 1;
  if (bits <= 16) return 2;
  if (bits <= 32) return 4;
  return bits <= 64 ? 8 : (bits + 31) / 32 * 4;
}

std::uint64_t bits_of(const void* pin, unsigned first, unsigned width) {
  const auto* const bytes = static_cast<const unsigned char*>(pin);
  std::uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned bit = first + done, in_byte = bit % 8;
    value |= static_cast<std::uint64_t>(bytes[bit / 8] >> in_byte) << done;
    done += 8 - in_byte;
  }
  return value & mask_of(width);
}

void set_bits(void* pin, unsigned first, unsigned width, std::uint64_t value) {
  auto* const bytes = static_cast<unsigned char*>(pin);
  for (unsigned done = 0; done < width;) {
    const unsigned bit = first + done, in_byte = bit % 8;
    const unsigned count = width - done < 8 - in_byte ? width - done : 8 - in_byte;
    const auto mask = static_cast<unsigned char>(mask_of(count) << in_byte);
    const auto part = static_cast<unsigned char>((value >> done) << in_byte);
    bytes[bit / 8] = static_cast<unsigned char>((bytes[bit / 8] & ~mask) | (part & mask));
    done += count;
  }
}

PinSignals::PinSignals(Observables to, const Pins& pins, Listener& listener) : listener_(listener) {
  for (const Pin& pin : pins) {
    const unsigned lane = pin.lane_bits == 0 ? (pin.bits > 64 ? 64 : pin.bits) : pin.lane_bits;
    for (unsigned first = 0; first < pin.bits; first += lane) {
      const unsigned width = pin.bits - first < lane ? pin.bits - first : lane;
      const bool whole = width == pin.bits && pin.lane_bits == 0;
      const std::string name =
          whole ? pin.name : std::string(pin.name) + "_" + std::to_string(first / lane);
      shown_.push_back({&to.add_signal(name, pin.description, format_of(pin.shown_as, width), this),
                        pin.at, first, width});
    }
  }
}

void PinSignals::begin_observation() {
  listener_.pins_observed(true);
  set_all();
}

void PinSignals::end_observation() { listener_.pins_observed(false); }

void PinSignals::set_all() {
  for (const Shown& shown : shown_) shown.signal->set(bits_of(shown.pin, shown.first, shown.width));
}

const Pin* first_difference(const Pins& a, const Pins& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Pin& pin = a[i];
    if (pin.kind == Pin::Kind::input) continue;
    if (pin.valid != nullptr && bits_of(pin.valid, 0, 1) == 0) continue;
    if (std::memcmp(pin.at, b[i].at, pin.bytes()) != 0) return &pin;
  }
  return nullptr;
}

void copy_inputs(const Pins& from, const Pins& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].kind == Pin::Kind::input) std::memcpy(to[i].at, from[i].at, from[i].bytes());
  }
}

void clear_inputs(const Pins& pins) {
  for (const Pin& pin : pins) {
    if (pin.kind == Pin::Kind::input) std::memset(pin.at, 0, pin.bytes());
  }
}

}  // namespace kernbench
