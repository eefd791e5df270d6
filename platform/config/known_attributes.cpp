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

}  // namespace kernbench
