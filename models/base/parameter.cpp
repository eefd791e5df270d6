#include "models/base/parameter.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

constexpr Rational::Int finest =
    1'000'000'000'000'000'000;  // parts of 1: the product of two decimals still fits 128 bits

}  // namespace

std::string format_value(const ParameterValue& value) {
  if (const auto* number = std::get_if<Rational>(&value)) return number->str();
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

Parameter::Parameter(Type type, std::string name, std::string description, std::string unit,
                     std::string source)
    : type_(type), name_(std::move(name)), description_(std::move(description)),
      unit_(std::move(unit)), source_(std::move(source)) {}

Parameter Parameter::integer(std::string name, std::string description, std::string unit,
                             std::string source) {
  return {Type::integer, std::move(name), std::move(description), std::move(unit),
          std::move(source)};
}

Parameter Parameter::decimal(std::string name, std::string description, std::string unit,
                             std::string source) {
  return {Type::decimal, std::move(name), std::move(description), std::move(unit),
          std::move(source)};
}

Parameter Parameter::boolean(std::string name, std::string description, std::string source) {
  return {Type::boolean, std::move(name), std::move(description), "", std::move(source)};
}

Parameter Parameter::text(std::string name, std::string description, std::string source) {
  return {Type::text, std::move(name), std::move(description), "", std::move(source)};
}

Parameter Parameter::choice(std::string name, std::string description,
                            std::vector<std::string> choices, std::string source) {
  Parameter p(Type::choice, std::move(name), std::move(description), "", std::move(source));
  p.choices_ = std::move(choices);
  return p;
}

Parameter Parameter::duration_ns(std::string name, std::string description, std::string source) {
  return decimal(std::move(name), std::move(description), "ns", std::move(source))
      .range("0", "1e9");
}

Parameter Parameter::rate_gbs(std::string name, std::string description, std::string source) {
  return decimal(std::move(name), std::move(description), "GB/s", std::move(source))
      .range("0.001", "1000000");
}

Parameter Parameter::frequency_ghz(std::string name, std::string description, std::string source) {
  return decimal(std::move(name), std::move(description), "GHz", std::move(source))
      .range("0.001", "1000");
}

Parameter& Parameter::default_val(std::int64_t value) {
  default_ = Rational(value);
  return *this;
}

Parameter& Parameter::default_val(std::string_view decimal_or_choice) {
  default_ = parse(decimal_or_choice);
  return *this;
}

Parameter& Parameter::default_val(bool value) {
  default_ = value;
  return *this;
}

Parameter& Parameter::range(std::string_view lowest, std::string_view highest) {
  if (!lowest.empty()) lowest_ = Rational::parse(lowest);
  if (!highest.empty()) highest_ = Rational::parse(highest);
  return *this;
}

Parameter& Parameter::range(const Rational& lowest, const Rational& highest) {
  lowest_ = lowest;
  highest_ = highest;
  return *this;
}

Parameter& Parameter::positive() {
  positive_ = true;
  return *this;
}

Parameter& Parameter::or_unlimited() {
  or_unlimited_ = true;
  return *this;
}

Parameter& Parameter::power_of_two() {
  power_of_two_ = true;
  return *this;
}

Parameter& Parameter::from_machine() {
  from_machine_ = true;
  return *this;
}

std::string Parameter::allowed() const {
  if (type_ == Type::boolean) return "true or false";
  if (type_ == Type::text) return "a text";
  if (type_ == Type::choice) {
    if (choices_.empty()) return "nothing, none is known";
    std::string text = "one of";
    for (std::size_t i = 0; i < choices_.size(); ++i) text += (i == 0 ? " " : ", ") + choices_[i];
    return text;
  }
  std::string text = or_unlimited_ ? "0 (unlimited) or " : "";
  text += type_ == Type::integer ? "an integer" : "a number";
  if (power_of_two_) text += ", a power of two";
  if (positive_) text += ", above 0";
  if (lowest_ && highest_)
    return fmt::format("{}, {} to {}", text, lowest_->str(), highest_->str());
  if (lowest_) text += ", at least " + lowest_->str();
  if (highest_) text += ", at most " + highest_->str();
  return text;
}

std::invalid_argument Parameter::too_many_digits(std::string_view text) const {
  return std::invalid_argument(
      fmt::format("found {}, which has more than 18 digits or decimals; allowed is {}",
                  printable(text), allowed()));
}

void Parameter::check(const Rational& value, std::string_view text) const {
  if (or_unlimited_ && value.is_zero()) return;
  const bool fits = value <= Rational(INT64_MAX) && Rational(INT64_MIN) <= value;
  const bool integral_ok = type_ != Type::integer || (value.is_integer() && fits);
  const auto is_power = [](Rational::Int v) { return v > 0 && (v & (v - 1)) == 0; };
  const bool power_ok = !power_of_two_ || (value.is_integer() && is_power(value.num()));
  const bool range_ok = (!lowest_ || *lowest_ <= value) && (!highest_ || value <= *highest_) &&
                        (!positive_ || Rational(0) < value);
  if (!integral_ok || !power_ok || !range_ok) {
    throw std::invalid_argument(fmt::format("found {}, allowed is {}", printable(text), allowed()));
  }
}

ParameterValue Parameter::parse(std::string_view text) const {
  switch (type_) {
    case Type::boolean:
      if (text == "true" || text == "on") return true;
      if (text == "false" || text == "off") return false;
      break;
    case Type::text:
      return std::string(text);
    case Type::choice:
      if (std::find(choices_.begin(), choices_.end(), text) != choices_.end())
        return std::string(text);
      break;
    case Type::integer:
    case Type::decimal: {
      std::optional<Rational> value;
      try {
        value = Rational::parse(text);
      } catch (const TooManyDigits&) {
        throw too_many_digits(text);
      } catch (const std::invalid_argument&) {
        break;
      }
      if (value->den() > finest) throw too_many_digits(text);
      check(*value, text);
      return *value;
    }
  }
  throw std::invalid_argument(fmt::format("found {}, allowed is {}", quote(text), allowed()));
}

const Attributes::Values& Attributes::values() const {
  static const Values none;
  return values_ == nullptr ? none : *values_;
}

const ParameterValue& Attributes::at(std::string_view name) const {
  const auto found = values().find(name);
  if (found == values().end())
    throw ModelError(fmt::format("undeclared parameter '{}' asked for", name));
  return found->second;
}

const Rational& Attributes::decimal(std::string_view name) const {
  return std::get<Rational>(at(name));
}
std::int64_t Attributes::integer(std::string_view name) const {
  return std::get<Rational>(at(name)).to_int64();
}
bool Attributes::flag(std::string_view name) const { return std::get<bool>(at(name)); }
const std::string& Attributes::text(std::string_view name) const {
  return std::get<std::string>(at(name));
}

Attributes defaults_of(const ParameterSchema& schema) {
  Attributes attributes;
  for (const Parameter& p : schema) {
    if (p.default_value()) attributes.set(p.name(), *p.default_value());
  }
  return attributes;
}

}  // namespace kernbench
