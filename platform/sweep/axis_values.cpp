#include "platform/sweep/axis_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kernbench {
namespace {

using Form = ValueRange::Form;

// Decimal steps have an exact text with these digits; ratios and draws are rounded to six.
constexpr int exact_digits = 12, rounded_digits = 6;
// Rounding may map several values of a range to one; only the first is kept.
constexpr std::uint64_t most_rounded = 1'000'000;
constexpr double tolerance = 1e-9;  // in steps: decimal fractions are rounded to doubles

std::uint64_t steps_in(const ValueRange& range) {
  const double steps = range.form == Form::factor
                           ? std::log(range.to / range.from) / std::log(range.by)
                           : (range.to - range.from) / range.by;
  return static_cast<std::uint64_t>(std::max(0.0, std::floor(steps + tolerance))) + 1;
}

double interpolated(const ValueRange& range, double share) {
  return range.log ? range.from * std::pow(range.to / range.from, share)
                   : range.from + (range.to - range.from) * share;
}

double value_at(const ValueRange& range, std::uint64_t index) {
  const auto i = static_cast<double>(index);
  switch (range.form) {
    case Form::step:
      return range.from + range.by * i;
    case Form::factor:
      return range.from * std::pow(range.by, i);
    case Form::count:
    case Form::drawn:
      break;
  }
  if (index + 1 == range.count) return range.to;
  return range.count < 2 ? range.from
                         : interpolated(range, i / static_cast<double>(range.count - 1));
}

}  // namespace

std::string decimal_text(double value, int digits) {
  if (value == 0) return "0";
  const int whole = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  if (whole > digits) {  // the digits before the point that are not significant become zeros
    const double unit = std::pow(10.0, whole - digits);
    return fmt::format("{:.0f}", std::round(value / unit) * unit);
  }
  std::string text = fmt::format("{:.{}f}", value, digits - whole);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::optional<double> number_of(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos)
    return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

AxisValues::AxisValues(const ValueRange& range) : range_(range) {
  if (range.form == Form::drawn) return;
  if (range.form != Form::count) range_->count = steps_in(range);
  if (range.multiple_of == 0) return;
  for (std::uint64_t i = 0; i < std::min(range_->count, most_rounded); ++i) {
    std::string text = text_of(value_at(*range_, i));
    if (list_.empty() || list_.back() != text) list_.push_back(std::move(text));
  }
  range_.reset();
}

std::uint64_t AxisValues::size() const {
  if (!range_) return list_.size();
  return is_drawn() ? 0 : range_->count;
}

std::string AxisValues::at(std::uint64_t index) const {
  return range_ ? text_of(value_at(*range_, index)) : list_.at(index);
}

std::optional<std::string> AxisValues::fraction() const {
  constexpr std::uint64_t looked_at = 1000;
  if (!range_) return std::nullopt;
  const auto is_fraction = [](const std::string& text) {
    const std::optional<double> number = number_of(text);
    return number && *number != std::trunc(*number);
  };
  if (is_drawn()) {
    for (const double share : {0.1234567, 0.3333333, 0.7654321})
      if (std::string text = drawn_at(share); is_fraction(text)) return text;
  }
  for (std::uint64_t i = 0; i < std::min(size(), looked_at); ++i)
    if (std::string text = at(i); is_fraction(text)) return text;
  return std::nullopt;
}

std::string AxisValues::drawn_at(double share) const {
  const ValueRange& range = *range_;
  if (range.multiple_of == 0 || range.log) return text_of(interpolated(range, share));
  // Every multiple has the same share of the length, those at the ends too.
  const double first = std::ceil(range.from / range.multiple_of - tolerance),
               last = std::floor(range.to / range.multiple_of + tolerance);
  return text_of((first + std::floor(share * (last - first + 1))) * range.multiple_of);
}

std::string AxisValues::text_of(double value) const {
  const ValueRange& range = *range_;
  if (range.multiple_of > 0)
    return decimal_text(std::round(value / range.multiple_of) * range.multiple_of, exact_digits);
  const bool rounds = range.log || range.form == Form::drawn;
  return decimal_text(value, rounds ? rounded_digits : exact_digits);
}

}  // namespace kernbench
