#include "platform/sweep/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/base/errors.h"

namespace kernbench {
namespace {

constexpr int digits = 12;  // significant digits of a varied value

double number_in(const ParameterValue& value) { return std::get<Rational>(value).to_double(); }

// Values on one side of the numbers, the preferred ones first. `sign`: -1 or 1.
std::vector<Variation> candidates(const std::vector<KeyValue>& keys, double step, int sign) {
  const Variation::Side side = sign < 0 ? Variation::Side::low : Variation::Side::high;
  const auto is_integer = [](const KeyValue& key) {
    return key.parameter.type() == Parameter::Type::integer;
  };
  const double base = number_in(keys.front().value);
  const bool single_integer = keys.size() == 1 && is_integer(keys.front());
  std::vector<Variation> values;
  const auto add = [&](double value, bool is_step) {
    values.push_back({side, {decimal_text(value, digits)}, is_step});
  };
  const auto scale = [&](double factor, bool is_step) {
    Variation scaled{side, {}, is_step};
    for (const KeyValue& key : keys) {
      const double value = number_in(key.value) * factor;
      if (is_integer(key) && value != std::trunc(value)) return;
      scaled.values.push_back(decimal_text(value, digits));
    }
    values.push_back(std::move(scaled));
  };
  if (base == 0) {
    if (sign > 0 && keys.size() == 1) add(1, false);
    return values;
  }
  const bool grows = (base > 0) == (sign > 0);
  if (!single_integer) {
    scale(grows ? 1 + step : 1 - step, true);
  } else if (std::abs(base) * step >= 1) {
    add(base + sign * std::round(std::abs(base) * step), true);
  }
  constexpr int nearest = 8;
  for (int i = 1; single_integer && i <= nearest; ++i) add(base + sign * i, false);
  scale(grows ? 2 : 0.5, false);
  return values;
}

std::vector<Variation> other_choices(const KeyValue& key) {
  std::vector<std::string> choices = key.parameter.choices();
  if (key.parameter.type() == Parameter::Type::boolean) choices = {"false", "true"};
  std::vector<Variation> values;
  for (const std::string& choice : choices)
    if (choice != format_value(key.value))
      values.push_back({Variation::Side::choice, {choice}, false});
  return values;
}

}  // namespace

std::vector<Variation> variations_of(const std::vector<KeyValue>& keys, double step,
                                     const ValueFaults& faults, std::string& fault) {
  const auto is_accepted = [&](const Variation& each) {
    std::string found;
    try {
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i].parameter.parse(each.values[i]);
      found = faults(each.values);
    } catch (const std::invalid_argument& error) {
      found = error.what();
    }
    if (fault.empty()) fault = found;
    return found.empty();
  };
  std::vector<Variation> variations;
  if (!std::holds_alternative<Rational>(keys.front().value)) {
    for (Variation& each : other_choices(keys.front()))
      if (is_accepted(each)) variations.push_back(std::move(each));
    return variations;
  }
  for (const int sign : {-1, 1}) {
    const std::vector<Variation> values = candidates(keys, step, sign);
    const auto first = std::find_if(values.begin(), values.end(), is_accepted);
    if (first != values.end()) variations.push_back(*first);
  }
  return variations;
}

std::string VariedKey::name() const {
  std::string name;
  for (const PlanValue& each : keys) name += (name.empty() ? "" : "+") + each.key;
  return name;
}

std::string variation_label(const VariedKey& key, const Variation& variation) {
  return key.name() + '=' + variation.values.front();
}

SweepPlan sensitivity_plan(const SweepPlan& plan, const std::vector<std::string>& base,
                           const std::vector<VariedKey>& keys) {
  SweepPlan varied = plan;
  varied.sample.reset();
  varied.where.reset();
  varied.groups.clear();
  for (std::size_t i = 0; i < base.size(); ++i) varied.axes[i].values = AxisValues({base[i]});
  PlanAxis axis;
  axis.name = variation_axis;
  std::vector<std::string> labels{base_variation};
  for (const VariedKey& key : keys) {
    for (const Variation& each : key.variations) {
      labels.push_back(variation_label(key, each));
      std::vector<PlanValue>& settings = axis.settings_of_value[labels.back()];
      settings = key.keys;
      for (std::size_t i = 0; i < settings.size(); ++i) settings[i].value = each.values[i];
    }
  }
  axis.values = AxisValues(std::move(labels));
  for (const PlanAxis& each : varied.axes)
    if (each.name == axis.name)
      throw UsageError(plan.path + ": --sensitivity has an axis of the name variation itself");
  varied.axes.push_back(std::move(axis));
  for (std::size_t i = 0; i < varied.axes.size(); ++i) varied.groups.push_back({i});
  return varied;
}

}  // namespace kernbench
