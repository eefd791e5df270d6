#include "platform/export/traced_object.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <type_traits>
#include <utility>

namespace kernbench {
namespace {

using Kind = WaveVariable::Kind;

SignalType type_of(Kind kind, unsigned width) {
  if (kind == Kind::text) return SignalType::enumeration;
  return kind == Kind::event || (kind == Kind::bits && width == 1) ? SignalType::flag
                                                                   : SignalType::count;
}

template <class T, class... Types>
constexpr bool is_any_of = (std::is_same_v<T, Types> || ...);

std::string shortest(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// SystemC writes X and Z; vcd2fst and others take only x and z.
std::string in_small_letters(std::string bits) {
  std::transform(bits.begin(), bits.end(), bits.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return bits;
}

// Most significant bit first.
template <class T>
std::string bit_by_bit(const T& object) {
  std::string bits;
  for (int i = object.length() - 1; i >= 0; --i) bits += object.test(i) ? '1' : '0';
  return bits;
}

}  // namespace

TracedObject traced_object(const std::string& name, Kind kind, unsigned width,
                           std::function<std::string()> sample) {
  const std::size_t dot = name.rfind('.');
  const bool is_top = dot == std::string::npos;
  return {{is_top ? "SystemC" : name.substr(0, dot), is_top ? name : name.substr(dot + 1), kind,
           width, type_of(kind, width)},
          std::move(sample)};
}

TracedObject traced_integer(std::function<std::uint64_t()> read, const std::string& name,
                            int width) {
  const auto sample = [read = std::move(read), width] {
    std::uint64_t value = read();
    if (width < 64) value &= (std::uint64_t{1} << width) - 1;
    char text[66];
    return std::string(text, std::to_chars(text, text + sizeof text, value, 2).ptr);
  };
  return traced_object(name, Kind::bits, static_cast<unsigned>(width), sample);
}

template <class T>
TracedObject traced(const T& object, const std::string& name) {
  if constexpr (is_any_of<T, sc_core::sc_time>) {
    TracedObject time = traced_integer([&object] { return object.value(); }, name, 64);
    time.variable.type = SignalType::time;
    return time;
  } else if constexpr (is_any_of<T, bool>) {
    return traced_object(name, Kind::bits, 1, [&object] { return object ? "1" : "0"; });
  } else if constexpr (is_any_of<T, sc_dt::sc_bit, sc_dt::sc_logic>) {
    return traced_object(name, Kind::bits, 1,
                         [&object] { return in_small_letters(std::string(1, object.to_char())); });
  } else if constexpr (is_any_of<T, sc_dt::sc_bv_base, sc_dt::sc_lv_base>) {
    return traced_object(name, Kind::bits, static_cast<unsigned>(object.length()),
                         [&object] { return in_small_letters(object.to_string()); });
  } else if constexpr (is_any_of<T, float, double>) {
    return traced_object(name, Kind::real, 64, [&object] { return shortest(object); });
  } else if constexpr (is_any_of<T, sc_dt::sc_fxval, sc_dt::sc_fxval_fast, sc_dt::sc_fxnum,
                                 sc_dt::sc_fxnum_fast>) {
    return traced_object(name, Kind::real, 64, [&object] { return shortest(object.to_double()); });
  } else {
    return traced_object(name, Kind::bits, static_cast<unsigned>(object.length()),
                         [&object] { return bit_by_bit(object); });
  }
}
#define KERNBENCH_TRACED(type) \
  template TracedObject traced(const type& object, const std::string& name);
KERNBENCH_TRACED_TYPES(KERNBENCH_TRACED)
#undef KERNBENCH_TRACED

}  // namespace kernbench
