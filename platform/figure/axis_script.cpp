#include "platform/figure/axis_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kernbench {
namespace {

bool is_power_of_two(double value) {
  int exponent = 0;
  return value >= 1 && std::frexp(value, &exponent) == 0.5;
}

// Powers of the base within the range, at most `most` of them.
std::vector<double> powers(const AxisRange& range, double base, int most) {
  const int first = static_cast<int>(std::ceil(std::log(range.low) / std::log(base) - 1e-9)),
            last = static_cast<int>(std::floor(std::log(range.high) / std::log(base) + 1e-9));
  const int step = std::max(1, (last - first) / most + 1);
  std::vector<double> values;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % step == 0) values.push_back(std::pow(base, exponent));
  }
  return values;
}

// Marks of a decade that have texts: fewer the more decades there are.
bool has_text(int digit, double decades) {
  if (decades > 3) return digit == 1;
  if (decades > 1) return digit == 1 || digit == 2 || digit == 5;
  return decades < 0.6 || digit < 7 || digit == 8;
}

// Major tick of gnuplot; a minor one if it has no text.
std::string tick(double value, const std::string& text) {
  return text.empty() ? fmt::format("'' {} 1", value) : fmt::format("'{}' {}", text, value);
}

// Ticks at multiples of 2, 5 or 10 times a power of ten, about five.
std::vector<std::string> even_ticks(const AxisRange& range) {
  const double rough = (range.high - range.low) / 5,
               power = std::pow(10, std::floor(std::log10(rough))),
               step = rough / power > 5   ? 10 * power
                      : rough / power > 2 ? 5 * power
                                          : 2 * power;
  std::vector<std::string> ticks;
  for (double i = std::ceil(range.low / step); i * step <= range.high; i += 1)
    ticks.push_back(tick(i * step, tick_text(i == 0 ? 0 : i * step)));
  return ticks;
}

std::vector<std::string> decade_ticks(const AxisRange& range) {
  constexpr double most_decades_with_parts = 6, least_decades = 0.4;
  const double decades = std::log10(range.high / range.low);
  if (decades < least_decades) return even_ticks(range);
  std::vector<std::string> ticks;
  if (decades > most_decades_with_parts) {
    for (const double power : powers(range, 10, 10)) ticks.push_back(tick(power, tick_text(power)));
    return ticks;
  }
  for (int exponent = static_cast<int>(std::floor(std::log10(range.low)));
       std::pow(10, exponent) <= range.high; ++exponent) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10, exponent);
      if (value < range.low || value > range.high) continue;
      ticks.push_back(tick(value, has_text(digit, decades) ? tick_text(value) : ""));
    }
  }
  return ticks;
}

std::string listed_ticks(const std::string& axis, const std::vector<std::string>& ticks) {
  return fmt::format("set {}tics ({})\n", axis, fmt::join(ticks, ", "));
}

}  // namespace

double AxisRange::share(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

AxisRange axis_range(const FigureAxis& axis, const std::vector<double>& values, bool from_zero) {
  AxisRange range;
  range.logarithmic = axis.logarithmic;
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  range.low = *lowest;
  range.high = *highest;
  if (range.logarithmic) {
    const double margin =
        range.low == range.high ? 2 : std::max(1.15, std::pow(range.high / range.low, 0.05));
    range.low /= margin;
    range.high *= margin;
  } else {
    if (from_zero && range.low > 0) range.low = 0;
    double margin = 0.05 * (range.high - range.low);
    if (margin == 0) margin = range.high == 0 ? 1 : 0.1 * std::abs(range.high);
    if (!from_zero || range.low < 0) range.low -= margin;
    range.high += margin;
  }
  if (axis.low && (!range.logarithmic || *axis.low > 0)) range.low = *axis.low;
  if (axis.high && *axis.high > range.low) range.high = *axis.high;
  return range;
}

std::string tick_text(double value, bool binary) {
  constexpr std::array<std::pair<double, const char*>, 5> binary_units{
      {{0x1p50, "Pi"}, {0x1p40, "Ti"}, {0x1p30, "Gi"}, {0x1p20, "Mi"}, {0x1p10, "Ki"}}};
  constexpr std::array<std::pair<double, const char*>, 5> units{
      {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  if (std::abs(value) < (binary ? 1024 : 1e4)) return fmt::format("{:.10g}", value);
  for (const auto& [unit, name] : binary ? binary_units : units) {
    if (std::abs(value) >= unit) return fmt::format("{:.6g}{}", value / unit, name);
  }
  return "";
}

std::string axis_script(const std::string& name, const AxisRange& range,
                        const std::vector<double>& values) {
  constexpr double most_plain = 1e5;
  constexpr int most_powers = 12;
  std::string script = fmt::format("set {}range [{}:{}]\n", name, range.low, range.high);
  if (!range.logarithmic) {
    if (std::max(std::abs(range.low), std::abs(range.high)) < most_plain)
      return script + fmt::format("set format {} '%.10g'\n", name);
    return script + listed_ticks(name, even_ticks(range));
  }
  script += fmt::format("set logscale {}\n", name);
  const bool binary = std::all_of(values.begin(), values.end(), is_power_of_two);
  if (!binary) return script + listed_ticks(name, decade_ticks(range));
  std::vector<std::string> ticks;
  for (const double power : powers(range, 2, most_powers))
    ticks.push_back(tick(power, tick_text(power, true)));
  return script + listed_ticks(name, ticks);
}

}  // namespace kernbench
