#include "platform/sweep/sweep_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "models/base/errors.h"
#include "platform/sweep/expression.h"

namespace kernbench {
namespace {

using Random = std::mt19937_64;

// Number in [0, 1): the same with every library, unlike std::uniform_real_distribution.
double draw(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

std::uint32_t draw_below(Random& random, std::uint64_t bound) {
  return static_cast<std::uint32_t>(draw(random) * static_cast<double>(bound));
}

std::vector<std::uint32_t> permutation(Random& random, std::uint64_t size) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint64_t i = size; i > 1; --i) std::swap(order[i - 1], order[draw_below(random, i)]);
  return order;
}

// "PLAN.yaml:12: where: MESSAGE".
std::string at_place(const ConfigLocation& place, const std::string& what,
                     const std::string& message) {
  return fmt::format("{}:{}: {}: {}", place.file, place.line, what, message);
}

}  // namespace

// Condition of the plan over the names of its axes and of the keys that it sets.
class SweepPoints::Condition {
 public:
  explicit Condition(const SweepPlan& plan) : plan_(plan) {
    if (!plan.where) return;
    std::vector<std::string> names;
    for (const PlanAxis& axis : plan.axes) names.push_back(axis.name);
    const std::vector<std::string> none(plan.axes.size());
    const std::vector<PlanValue> settings = plan.settings_of(none);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      if (std::find(names.begin(), names.end(), settings[i].key) != names.end()) continue;
      names.push_back(settings[i].key);
      used_.push_back(i);
    }
    try {
      expression_.emplace(plan.where->text, names);
    } catch (const UsageError& error) {
      throw fault(error.what());
    }
  }

  bool holds(const std::vector<std::string>& axis_values) const try {
    if (!expression_) return true;
    std::vector<std::string> values = axis_values;
    const std::vector<PlanValue> settings = plan_.settings_of(axis_values);
    for (const std::size_t i : used_) values.push_back(settings[i].value);
    return expression_->holds(values);
  } catch (const UsageError& error) {
    throw fault(error.what());
  }

  UsageError fault(const std::string& message) const {
    return UsageError(at_place(plan_.where->place, "where", message));
  }

 private:
  const SweepPlan& plan_;
  std::optional<Expression> expression_;
  std::vector<std::size_t> used_;  // settings that are not named like an axis
};

SweepPoints::SweepPoints(const SweepPlan& plan, std::uint64_t most, std::uint64_t kept)
    : plan_(plan), drawn_(plan.groups.size()), drawn_index_(plan.groups.size()), kept_(kept) {
  check_count(most);
  if (!plan.sample) {
    enumerate();
  } else if (plan.sample->kind == PlanSample::Kind::random) {
    draw_randomly();
  } else {
    draw_latin_hypercube();
  }
  if (size() == 0 && plan.where && complete_)
    throw Condition(plan).fault(fmt::format("no point meets the condition {}", plan.where->text));
}

std::uint64_t SweepPoints::length(std::size_t group) const {
  return plan_.axes[plan_.groups[group].front()].values.size();
}

// A condition that few points meet may leave the first of them beyond any bound.
bool SweepPoints::is_enough(std::uint64_t candidates) {
  const bool enough = size() >= kept_ || (kept_ != UINT64_MAX && candidates / 10 >= kept_);
  if (enough) complete_ = false;
  return enough;
}

void SweepPoints::check_count(std::uint64_t most) {
  constexpr unsigned __int128 ceiling = static_cast<unsigned __int128>(1) << 80U;
  std::string product;
  unsigned __int128 points = 1;
  if (plan_.sample) {
    points = plan_.sample->points;
  } else {
    for (std::size_t group = 0; group < groups(); ++group) {
      points = std::min(points, ceiling) * length(group);  // lengths have 40 bits
      product += fmt::format("{}{}", product.empty() ? "" : " x ", length(group));
    }
  }
  constexpr unsigned __int128 counted = UINT64_MAX;
  total_ = static_cast<std::uint64_t>(std::min(points, counted));
  if (points <= most) return;
  constexpr std::uint64_t largest = 1'000'000'000'000'000'000U;
  const std::string number = points > largest ? "more than " + std::to_string(largest)
                                              : std::to_string(static_cast<std::uint64_t>(points));
  throw UsageError(fmt::format("{}: {} points{}{}; --max-points, to run them, is {}", plan_.path,
                               number, groups() > 1 && !product.empty() ? " (" + product + ")" : "",
                               plan_.where ? " before the condition" : "", most));
}

std::vector<std::string> SweepPoints::values_of(const std::uint32_t* digits) const {
  std::vector<std::string> values(plan_.axes.size());
  for (std::size_t group = 0; group < groups(); ++group) {
    for (const std::size_t axis : plan_.groups[group])
      values[axis] = plan_.axes[axis].values.is_drawn() ? drawn_[group][digits[group]]
                                                        : plan_.axes[axis].values.at(digits[group]);
  }
  return values;
}

std::vector<std::string> SweepPoints::axis_values(std::size_t point) const {
  return values_of(&digits_.at(point * groups()));
}

void SweepPoints::enumerate() {
  const Condition condition(plan_);
  Digits digits(groups(), 0);
  for (std::uint64_t candidates = 1;; ++candidates) {
    if (!plan_.where || condition.holds(values_of(digits.data()))) keep(digits);
    std::size_t group = groups();
    while (group > 0 && ++digits[group - 1] == length(group - 1)) digits[--group] = 0;
    if (group == 0 || is_enough(candidates)) return;
  }
}

// Equal texts have one index, so that repeated points are found.
std::uint32_t SweepPoints::index_of_drawn(std::size_t group, double share) {
  const std::string text = plan_.axes[plan_.groups[group].front()].values.drawn_at(share);
  const auto [found, is_new] =
      drawn_index_[group].try_emplace(text, static_cast<std::uint32_t>(drawn_[group].size()));
  if (is_new) drawn_[group].push_back(text);
  return found->second;
}

void SweepPoints::draw_randomly() {
  const PlanSample& sample = *plan_.sample;
  const Condition condition(plan_);
  Random random(sample.seed);
  std::set<Digits> seen;
  constexpr std::uint64_t draws_per_point = 1000;
  std::uint64_t draws = 0;
  for (std::uint64_t points = 0; points < sample.points; ++draws) {
    if (draws >= sample.points * draws_per_point)
      throw UsageError(fmt::format("{}: sample: {} draws have found {} different points{}, not {}",
                                   plan_.path, draws, points,
                                   plan_.where ? " that meet the condition" : "", sample.points));
    Digits digits(groups());
    for (std::size_t group = 0; group < groups(); ++group) {
      const std::uint64_t values = length(group);
      digits[group] =
          values == 0 ? index_of_drawn(group, draw(random)) : draw_below(random, values);
    }
    if (!seen.insert(digits).second || !condition.holds(values_of(digits.data()))) continue;
    keep(digits);
    if (++points < sample.points && is_enough(0)) return;
  }
}

// Each axis is cut into as many strata as there are points, and each stratum has one point.
void SweepPoints::draw_latin_hypercube() {
  const PlanSample& sample = *plan_.sample;
  const Condition condition(plan_);
  if (sample.points > kept_) {  // its strata are drawn together
    complete_ = false;
    return;
  }
  Random random(sample.seed);
  std::vector<Digits> points(sample.points, Digits(groups()));
  for (std::size_t group = 0; group < groups(); ++group) {
    const std::uint64_t values = length(group);
    const std::vector<std::uint32_t> strata = permutation(random, sample.points);
    for (std::uint64_t i = 0; i < sample.points; ++i) {
      const double offset = values == 0 ? draw(random) : 0.5;
      const double share = (strata[i] + offset) / static_cast<double>(sample.points);
      points[i][group] = values == 0
                             ? index_of_drawn(group, share)
                             : static_cast<std::uint32_t>(share * static_cast<double>(values));
    }
  }
  std::set<Digits> seen;
  for (const Digits& digits : points) {
    if (seen.insert(digits).second && condition.holds(values_of(digits.data()))) keep(digits);
  }
}

}  // namespace kernbench
