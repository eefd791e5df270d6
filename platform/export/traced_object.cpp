#include "platform/export/traced_object.h"

#include <sysc/datatypes/fx/fx.h>  // left out of <systemc> unless asked for

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace kernbench {
namespace {

using Kind = WaveVariable::Kind;

SignalType type_of(Kind kind, unsigned width) {
  if (kind == Kind::text) return SignalType::enumeration;
  return kind == Kind::event || (kind == Kind::bits && width == 1) ? SignalType::flag
                                                                   : SignalType::count;
}

TracedObject make(const std::string& name, Kind kind, unsigned width,
                  std::function<std::string()> sample) {
  const std::size_t dot = name.rfind('.');
  WaveVariable variable{dot == std::string::npos ? "SystemC" : name.substr(0, dot),
                        dot == std::string::npos ? name : name.substr(dot + 1), kind, width,
                        type_of(kind, width)};
  return {std::move(variable), std::move(sample), "", "", 0};
}

std::string shortest(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

TracedObject real(const std::string& name, std::function<double()> read) {
  return make(name, Kind::real, 64, [read = std::move(read)] { return shortest(read()); });
}

// SystemC writes X and Z; vcd2fst and others take only x and z.
std::string in_small_letters(std::string bits) {
  std::transform(bits.begin(), bits.end(), bits.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return bits;
}

// Most significant bit first, from a type with length() and test().
template <class T>
TracedObject bit_by_bit(const T& object, const std::string& name) {
  return make(name, Kind::bits, static_cast<unsigned>(object.length()), [&object] {
    std::string bits;
    for (int i = object.length() - 1; i >= 0; --i) bits += object.test(i) ? '1' : '0';
    return bits;
  });
}

}  // namespace

TracedObject traced_integer(std::function<std::uint64_t()> read, const std::string& name,
                            int width) {
  return make(name, Kind::bits, static_cast<unsigned>(width), [read = std::move(read), width] {
    std::uint64_t value = read();
    if (width < 64) value &= (std::uint64_t{1} << width) - 1;
    char text[66];
    return std::string(text, std::to_chars(text, text + sizeof text, value, 2).ptr);
  });
}

TracedObject traced(const sc_core::sc_time& object, const std::string& name) {
  TracedObject time = traced_integer([&object] { return object.value(); }, name, 64);
  time.variable.type = SignalType::time;
  return time;
}

TracedObject traced(const bool& object, const std::string& name) {
  return make(name, Kind::bits, 1, [&object] { return std::string(1, object ? '1' : '0'); });
}

TracedObject traced(const sc_dt::sc_bit& object, const std::string& name) {
  return make(name, Kind::bits, 1, [&object] { return std::string(1, object.to_char()); });
}

TracedObject traced(const sc_dt::sc_logic& object, const std::string& name) {
  return make(name, Kind::bits, 1,
              [&object] { return in_small_letters(std::string(1, object.to_char())); });
}

TracedObject traced(const float& object, const std::string& name) {
  return real(name, [&object] { return static_cast<double>(object); });
}

TracedObject traced(const double& object, const std::string& name) {
  return real(name, [&object] { return object; });
}

TracedObject traced(const sc_dt::sc_int_base& object, const std::string& name) {
  return bit_by_bit(object, name);
}
TracedObject traced(const sc_dt::sc_uint_base& object, const std::string& name) {
  return bit_by_bit(object, name);
}
TracedObject traced(const sc_dt::sc_signed& object, const std::string& name) {
  return bit_by_bit(object, name);
}
TracedObject traced(const sc_dt::sc_unsigned& object, const std::string& name) {
  return bit_by_bit(object, name);
}

TracedObject traced(const sc_dt::sc_fxval& object, const std::string& name) {
  return real(name, [&object] { return object.to_double(); });
}
TracedObject traced(const sc_dt::sc_fxval_fast& object, const std::string& name) {
  return real(name, [&object] { return object.to_double(); });
}
TracedObject traced(const sc_dt::sc_fxnum& object, const std::string& name) {
  return real(name, [&object] { return object.to_double(); });
}
TracedObject traced(const sc_dt::sc_fxnum_fast& object, const std::string& name) {
  return real(name, [&object] { return object.to_double(); });
}

TracedObject traced(const sc_dt::sc_bv_base& object, const std::string& name) {
  return make(name, Kind::bits, static_cast<unsigned>(object.length()),
              [&object] { return object.to_string(); });
}

TracedObject traced(const sc_dt::sc_lv_base& object, const std::string& name) {
  return make(name, Kind::bits, static_cast<unsigned>(object.length()),
              [&object] { return in_small_letters(object.to_string()); });
}

TracedObject traced(const unsigned int& object, const std::string& name, const char** labels) {
  std::vector<std::string> names;
  for (; *labels != nullptr; ++labels) names.emplace_back(*labels);
  return make(name, Kind::text, 1, [&object, names = std::move(names)] {
    return object < names.size() ? names[object] : std::to_string(object);
  });
}

TracedObject traced_event(std::function<sc_dt::uint64()> trigger_stamp, const std::string& name) {
  return make(name, Kind::event, 1, [trigger_stamp = std::move(trigger_stamp)] {
    return std::to_string(trigger_stamp());
  });
}

}  // namespace kernbench
