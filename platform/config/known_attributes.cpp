#include "platform/config/known_attributes.h"

namespace kernbench {
namespace {

std::optional<Rational> positive_in(const Attributes& attributes, std::string_view name) {
  const auto number = value_in<Rational>(attributes, name);
  return number && *number > Rational(0) ? number : std::nullopt;
}

}  // namespace

std::optional<Rational> clock_ghz_of(const Attributes& attributes) {
  if (const auto period_ns = positive_in(attributes, "clock_period_ns"))
    return Rational(1) / *period_ns;
  return positive_in(attributes, "clock_ghz");
}

Fs overhead_of(const Attributes& attributes) {
  if (const auto overhead_ns = value_in<Rational>(attributes, "overhead_ns"))
    return ns_to_fs(*overhead_ns);
  const auto clock_ghz = clock_ghz_of(attributes);
  const auto cycles = positive_in(attributes, "pipeline_cycles");
  if (!clock_ghz || !cycles || !cycles->is_integer()) return 0;
  return (static_cast<Fs>(cycles->to_int64()) + 1) * cycles_to_fs(1, *clock_ghz);
}

}  // namespace kernbench
