// Sensitivity of a result to single keys (spec 10.6): values on both sides of a base value, and the
// plan that runs them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/base/parameter.h"
#include "platform/sweep/sweep_plan.h"

namespace kernbench {

// Value of a key instead of its base value. A choice is on neither side of it.
struct Variation {
  enum class Side : std::uint8_t { low, high, choice };
  Side side = Side::low;
  std::vector<std::string> values;  // one per key
  bool is_step = false;             // a step of some percent, not a neighbouring value
};

// Key, or keys that are changed together.
struct VariedKey {
  std::vector<PlanValue> keys;  // with their base values
  std::string unit;             // unit of the first key
  std::vector<Variation> variations;
  std::string fault;  // reason of the first refusal; "": none

  std::string name() const;  // "A", "A+B"
  const std::string& base() const { return keys.front().value; }
};

struct KeyValue {
  Parameter parameter;
  ParameterValue value;
};

// Faults of the values of all keys: none is accepted if they are not empty.
using ValueFaults = std::function<std::string(const std::vector<std::string>& values)>;

// Variations of a value: of a number `step` (0.05) of it down and up; where the parameter or
// `faults` refuses that, or where it is no whole number of an integer, the nearest of the next
// eight integers, half and double the value; of a choice each other one. A side that has no
// accepted value is absent. Of 0 the neighbour is 1. Several keys are numbers, which are all
// changed by the step, else halved or doubled. `fault`: of the first value that is not accepted.
std::vector<Variation> variations_of(const std::vector<KeyValue>& keys, double step,
                                     const ValueFaults& faults, std::string& fault);

// Axis of the plan below, and its value at the base point. Other values: "KEY=VALUE"; of several
// keys the value of the first.
inline constexpr const char* variation_axis = "variation";
inline constexpr const char* base_variation = "base";
std::string variation_label(const VariedKey& key, const Variation& variation);

// Plan of the base point and of one point for each variation. The axes of `plan` keep the values
// `base` alone.
SweepPlan sensitivity_plan(const SweepPlan& plan, const std::vector<std::string>& base,
                           const std::vector<VariedKey>& keys);

}  // namespace kernbench
