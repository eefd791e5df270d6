// Plan of a sweep (spec 10.6): a bench, settings common to all points, axes, and what is derived
// from the results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/config_tree.h"
#include "platform/sweep/axis_values.h"
#include "platform/sweep/plan_figure.h"

namespace kernbench {

// Key that a plan sets: an option of `run` ("topology", "seed"), a parameter of the bench, or a
// configuration key, which has a dot or a colon ("cube.ucie.lane_select", "ccl:n_elem").
enum class PlanKeyKind : std::uint8_t { option, parameter, setting };

struct PlanValue {
  PlanKeyKind kind = PlanKeyKind::option;
  std::string key, value;
  ConfigLocation place = {};
};

struct PlanAxis {
  std::string name;
  ConfigLocation place;
  std::vector<PlanValue> keys;  // without values; one, the name, unless `sets` names others
  AxisValues values;
  // Settings of each value, of an axis whose values set different keys; a value that is missing
  // here sets nothing. Such an axis has no keys.
  std::map<std::string, std::vector<PlanValue>> settings_of_value = {};
};

// Axes that advance together: indices in SweepPlan::axes. Most have one axis.
using ZippedAxes = std::vector<std::size_t>;

struct PlanSample {
  enum class Kind : std::uint8_t { random, latin_hypercube };
  Kind kind = Kind::random;
  std::uint64_t points = 0, seed = 1;
};

struct PlanExpression {
  std::string name, text;  // SQL
  ConfigLocation place;
};

// Column with the value of a configuration key, defaults included.
struct PlanColumn {
  std::string name, key;
  ConfigLocation place;
};

struct SweepPlan {
  std::string path;
  std::string text;                  // text of the plan file, without included files
  std::string title, question;       // keys `title` and `text`, for the page of the sweep
  std::vector<PlanValue> constants;  // options, then parameters, then settings
  std::vector<PlanAxis> axes;        // in file order
  std::vector<ZippedAxes> groups;    // in the order of their first axes
  std::optional<PlanSample> sample;
  std::optional<PlanExpression> where;
  std::vector<PlanColumn> keys;
  std::vector<PlanExpression> derived;
  std::vector<PlanFigure> figures;
  std::vector<std::string> sensitivity;  // keys to vary, with globs

  // Columns that the plan names, by folded name: what each is, for messages ("the axis 'm'").
  std::map<std::string, std::string> named_columns() const;

  std::string axis_keys_as_json() const;  // object: keys that an axis of another name sets
  std::string derived_as_json() const;    // object: expressions by name

  // Everything that a point sets, an axis instead of a constant of the same key. `values`: one per
  // axis.
  std::vector<PlanValue> settings_of(const std::vector<std::string>& values) const;
  // "M=32, N=64"
  std::string label_of(const std::vector<std::string>& values) const;
};

// Reads and checks a plan. `options`: names of the options of `run` that it may set. ConfigError
// with all faults.
SweepPlan load_plan(const std::string& path, const std::vector<std::string>& options);

}  // namespace kernbench
