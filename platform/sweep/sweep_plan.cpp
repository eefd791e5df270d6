#include "platform/sweep/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "models/base/quote.h"
#include "platform/config/config_schema.h"
#include "platform/config/nearest_name.h"
#include "platform/output/json_text.h"
#include "platform/sweep/axis_reader.h"
#include "platform/sweep/sweep_columns.h"

namespace kernbench {
namespace {

using Kind = ConfigKey::Kind;

constexpr const char* source = "spec 10.6";

ConfigSchema plan_schema() {
  std::vector<ConfigKey> keys{
      ConfigKey::of(Kind::text, "title", "title of the page", false),
      ConfigKey::of(Kind::text, "text", "what the sweep asks, in paragraphs", false),
      ConfigKey::of(Kind::text, "bench", "bench of all points", false),
      ConfigKey::of(Kind::text, "topology", "machine of all points, as --topology", false),
      ConfigKey::of(Kind::attributes, "params", "parameters of the bench", false),
      ConfigKey::of(Kind::attributes, "set", "keys of configuration files, as --set", false),
      ConfigKey::of(Kind::attributes, "options", "further options of run", false),
      ConfigKey::of(Kind::attributes, "axes", "what varies from point to point", false),
      ConfigKey::of_list("zip", "groups of axes that advance together", 1, 64, false),
      ConfigKey::of_list("zip.*", "names of axes", 2, 64),
      ConfigKey::of(Kind::text, "zip.*.*", "name of an axis"),
      ConfigKey::of(Kind::section, "sample", "points drawn from the axes", false),
      ConfigKey::of_value(
          "sample.kind",
          Parameter::choice("kind", "how points are drawn", {"random", "latin_hypercube"}, source)
              .default_val("random"),
          false),
      ConfigKey::of_value(
          "sample.points",
          Parameter::integer("points", "points of the sample", "", source).range("1", "1000000000"),
          false),
      ConfigKey::of_value("sample.seed",
                          Parameter::integer("seed", "seed of the draws", "", source)
                              .range("0", "1000000000000")
                              .default_val(1),
                          false),
      ConfigKey::of(Kind::text, "where", "condition that a point meets, in SQL", false),
      ConfigKey::of(Kind::attributes, "keys", "columns with values of configuration keys", false),
      ConfigKey::of(Kind::attributes, "derived", "columns computed from others, in SQL", false),
      ConfigKey::of_list("figures", "figures of the results", 0, 64, false),
      ConfigKey::of(Kind::attributes, "figures.*", "a figure"),
      ConfigKey::of_list("sensitivity", "keys that --sensitivity varies", 1, 4096, false),
      ConfigKey::of(Kind::text, "sensitivity.*", "a key, or a pattern of keys"),
  };
  return ConfigSchema(std::move(keys));
}

class PlanReader {
 public:
  PlanReader(const std::string& path, const std::vector<std::string>& options) : options_(options) {
    plan_.path = path;
    root_ = load_config_tree(path, issues_);
    if (root_.kind != ConfigNode::Kind::map) throw ConfigError(std::move(issues_));
    config_ = check_config(root_, plan_schema(), nullptr, issues_);
    std::ifstream file(path, std::ios::binary);
    plan_.text.assign(std::istreambuf_iterator<char>(file), {});
  }

  SweepPlan read() {
    for (const char* name : {"bench", "topology"}) {
      if (const std::string* value = config_.text(name))
        plan_.constants.push_back({PlanKeyKind::option, name, *value, config_.place(name)});
    }
    if (const std::string* title = config_.text("title")) plan_.title = *title;
    if (const std::string* text = config_.text("text")) plan_.question = *text;
    read_constants("options", PlanKeyKind::option);
    read_constants("params", PlanKeyKind::parameter);
    read_constants("set", PlanKeyKind::setting);
    read_axes();
    read_groups();
    read_sample();
    if (const std::string* where = config_.text("where"))
      plan_.where = PlanExpression{"where", *where, config_.place("where")};
    read_columns("keys", "the name of a configuration key", [this](const ConfigEntry& entry) {
      plan_.keys.push_back({entry.key, entry.value.text, entry.value.place});
    });
    read_columns("derived", "an expression in SQL", [this](const ConfigEntry& entry) {
      plan_.derived.push_back({entry.key, entry.value.text, entry.value.place});
    });
    for (std::size_t i = 0; i < config_.items("sensitivity"); ++i) {
      if (const std::string* key = config_.text(fmt::format("sensitivity.{}", i)))
        plan_.sensitivity.push_back(*key);
    }
    if (const ConfigNode* figures = root_.find("figures"))
      plan_.figures = read_plan_figures(*figures, issues_);
    check_bench();
    check_columns();
    if (!issues_.empty()) throw ConfigError(std::move(issues_));
    return std::move(plan_);
  }

 private:
  void fault(const ConfigLocation& place, const std::string& key, std::string message) {
    issues_.push_back(issue_at(place, key, std::move(message)));
  }
  bool is_option(const std::string& name) const {
    return std::find(options_.begin(), options_.end(), name) != options_.end();
  }
  PlanKeyKind kind_of(const std::string& key) const {
    if (key.find_first_of(".:") != std::string::npos) return PlanKeyKind::setting;
    return is_option(key) ? PlanKeyKind::option : PlanKeyKind::parameter;
  }

  void read_constants(const std::string& section, PlanKeyKind kind) {
    const ConfigNode* entries = config_.attributes(section);
    if (entries == nullptr) return;
    for (const ConfigEntry& entry : entries->entries) {
      const std::string path = section + '.' + entry.key;
      if (kind == PlanKeyKind::option && (entry.key == "bench" || entry.key == "topology")) {
        fault(entry.place, path, "is a key of the plan itself, not one of its options");
      } else if (kind == PlanKeyKind::option && !is_option(entry.key)) {
        fault(entry.place, path,
              fmt::format("a plan sets no such option of run{}; known here: {}",
                          did_you_mean(entry.key, options_), listed(options_, "nothing")));
      } else if (entry.value.kind == ConfigNode::Kind::null) {
        fault(entry.place, path, "found nothing, allowed is a value");
      } else {
        plan_.constants.push_back({kind, entry.key, flow_text(entry.value), entry.value.place});
      }
    }
  }

  void read_axes() {
    const ConfigNode* axes = config_.attributes("axes");
    if (axes == nullptr) return;
    if (axes->entries.empty()) fault(axes->place, "axes", "found no axis, at least one is needed");
    std::map<std::string, std::string> owners;  // key -> axis
    for (const ConfigEntry& entry : axes->entries) {
      PlanAxis axis = read_axis(entry, root_.find("sample") != nullptr, issues_);
      for (PlanValue& key : axis.keys) {
        key.kind = kind_of(key.key);
        const auto [owner, is_new] = owners.try_emplace(key.key, axis.name);
        if (!is_new)
          fault(entry.place, "axes." + axis.name,
                fmt::format("sets {}, which the axis {} sets too", quote(key.key),
                            quote(owner->second)));
      }
      plan_.axes.push_back(std::move(axis));
    }
  }

  // Index of a named axis; none: reported.
  std::optional<std::size_t> axis_index(const std::string& path) {
    const std::string* name = config_.text(path);
    if (name == nullptr) return std::nullopt;
    std::vector<std::string> names;
    for (const PlanAxis& axis : plan_.axes) names.push_back(axis.name);
    const auto found = std::find(names.begin(), names.end(), *name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    fault(config_.place(path), path,
          fmt::format("there is no axis {}{}; axes: {}", quote(*name), did_you_mean(*name, names),
                      listed(names, "none")));
    return std::nullopt;
  }

  void read_groups() {
    std::vector<std::optional<ZippedAxes>> group_of(plan_.axes.size());
    for (std::size_t i = 0; i < config_.items("zip"); ++i) {
      const std::string path = fmt::format("zip.{}", i);
      ZippedAxes group;
      for (std::size_t j = 0; j < config_.items(path); ++j) {
        const std::string element = fmt::format("{}.{}", path, j);
        const std::optional<std::size_t> axis = axis_index(element);
        if (!axis) continue;
        if (group_of[*axis] || std::find(group.begin(), group.end(), *axis) != group.end())
          fault(config_.place(element), element,
                fmt::format("the axis {} is zipped twice", quote(plan_.axes[*axis].name)));
        group.push_back(*axis);
      }
      check_lengths(group, path);
      for (const std::size_t axis : group) group_of[axis] = group;
    }
    for (std::size_t axis = 0; axis < plan_.axes.size(); ++axis) {
      const ZippedAxes group = group_of[axis].value_or(ZippedAxes{axis});
      if (*std::min_element(group.begin(), group.end()) == axis) plan_.groups.push_back(group);
    }
  }

  void check_lengths(const ZippedAxes& group, const std::string& path) {
    std::string lengths;
    bool equal = true;
    for (const std::size_t axis : group) {
      const AxisValues& values = plan_.axes[axis].values;
      if (values.is_drawn())
        return fault(config_.place(path), path,
                     fmt::format("the axis {} is drawn and has no values to advance through",
                                 quote(plan_.axes[axis].name)));
      lengths += fmt::format("{}{} has {}", lengths.empty() ? "" : ", ", plan_.axes[axis].name,
                             values.size());
      equal = equal && values.size() == plan_.axes[group.front()].values.size();
    }
    if (!equal)
      fault(config_.place(path), path,
            fmt::format("zipped axes need as many values each: {}", lengths));
  }

  void read_sample() {
    if (root_.find("sample") == nullptr) return;
    PlanSample& sample = plan_.sample.emplace();
    if (const std::string* kind = config_.text("sample.kind"))
      sample.kind =
          *kind == "random" ? PlanSample::Kind::random : PlanSample::Kind::latin_hypercube;
    if (const Rational* seed = config_.number("sample.seed"))
      sample.seed = static_cast<std::uint64_t>(seed->to_int64());
    if (const Rational* points = config_.number("sample.points")) {
      sample.points = static_cast<std::uint64_t>(points->to_int64());
    } else if (!config_.has("sample.points")) {
      fault(config_.place("sample"), "sample.points", "the key is missing: how many are drawn");
    }
  }

  template <class Add>
  void read_columns(const std::string& section, const char* allowed, const Add& add) {
    const ConfigNode* columns = config_.attributes(section);
    if (columns == nullptr) return;
    for (const ConfigEntry& entry : columns->entries) {
      if (entry.value.kind == ConfigNode::Kind::scalar) {
        add(entry);
      } else {
        fault(entry.place, section + '.' + entry.key,
              fmt::format("found {}, allowed is {}", entry.value.described(), allowed));
      }
    }
  }

  // SQL does not distinguish names that differ in case alone. Columns of the summary and of bench
  // parameters are known later.
  void check_columns() {
    std::map<std::string, std::string> owners;
    for (const char* name : {"topology", "device", "seed", "data"})
      owners[name] = fmt::format("the column {} of every sweep", quote(name));
    const auto add = [&](const std::string& path, const std::string& name, const std::string& what,
                         const ConfigLocation& place) {
      const std::string column = setting_column(name);
      if (is_reserved_column(column))
        return fault(place, path,
                     fmt::format("{} has the name of a column that every sweep writes: host.* and "
                                 "further; name it otherwise",
                                 what));
      const auto [owner, is_new] = owners.try_emplace(folded_name(column), what);
      if (!is_new) fault(place, path, shares_column(what, owner->second));
    };
    add_settings(owners);
    for (const PlanAxis& axis : plan_.axes) {
      if (!axis_sets(axis, axis.name))
        add("axes." + axis.name, axis.name, fmt::format("the axis {}", quote(axis.name)),
            axis.place);
    }
    const auto add_named = [&](const char* section, const std::string& name,
                               const ConfigLocation& place) {
      const std::string path = fmt::format("{}.{}", section, name);
      if (is_fixed_column(name))
        return fault(place, path,
                     fmt::format("every sweep has a column {}: name it otherwise", quote(name)));
      add(path, name, path, place);
    };
    for (const PlanColumn& each : plan_.keys) add_named("keys", each.name, each.place);
    for (const PlanExpression& each : plan_.derived) add_named("derived", each.name, each.place);
  }

  static std::string shares_column(const std::string& what, const std::string& owner) {
    return fmt::format(
        "{} and {} are one column, since names in SQL have no case: name it otherwise", what,
        owner);
  }
  static bool axis_sets(const PlanAxis& axis, const std::string& key) {
    return std::any_of(axis.keys.begin(), axis.keys.end(), [&key](const PlanValue& each) {
      return folded_name(each.key) == folded_name(key);
    });
  }

  // Keys that are set, by constants and axes: a key that both set is one column.
  void add_settings(std::map<std::string, std::string>& owners) {
    std::map<std::string, std::string> exact;  // key as written, by folded name
    const auto add = [&](const PlanValue& key, const std::string& path) {
      const std::string column = setting_column(key.key), low = folded_name(column);
      const auto [first, is_new] = exact.try_emplace(low, key.key);
      if (first->second != key.key)
        fault(key.place, path, shares_column(quote(key.key), quote(first->second)));
      owners[low] = fmt::format("the key {}, which the plan sets,", quote(key.key));
    };
    for (const PlanValue& each : plan_.constants)
      add(each, each.kind == PlanKeyKind::parameter ? "params." + each.key : "set." + each.key);
    for (const PlanAxis& axis : plan_.axes) {
      for (const PlanValue& key : axis.keys) add(key, "axes." + axis.name);
    }
  }

  void check_bench() {
    const auto names_bench = [](const PlanValue& value) {
      return value.kind == PlanKeyKind::option && value.key == "bench";
    };
    const auto has_bench = [&](const PlanAxis& axis) {
      return std::any_of(axis.keys.begin(), axis.keys.end(), names_bench);
    };
    if (root_.find("bench") == nullptr &&
        std::none_of(plan_.axes.begin(), plan_.axes.end(), has_bench))
      fault(root_.place, "bench", "the key is missing; allowed is the name of a bench, or an axis");
  }

  const std::vector<std::string>& options_;
  std::vector<ConfigIssue> issues_;
  ConfigNode root_;
  ResolvedConfig config_;
  SweepPlan plan_;
};

// A topology next to the plan is found from any folder, as by `include`: its absolute path.
std::string located_value(const PlanValue& key, const std::string& value,
                          const ConfigLocation& at) {
  namespace fs = std::filesystem;
  if (key.kind != PlanKeyKind::option || key.key != "topology" || value.empty()) return value;
  const fs::path sibling = fs::path(at.file).parent_path() / value;
  std::error_code ignored;
  if (fs::path(value).is_absolute() || at.file.empty() || !fs::is_regular_file(sibling, ignored))
    return value;
  return fs::weakly_canonical(fs::absolute(sibling), ignored).string();
}

}  // namespace

std::vector<PlanValue> SweepPlan::settings_of(const std::vector<std::string>& values) const {
  std::vector<PlanValue> settings = constants;
  const auto set = [&](const PlanValue& key, const std::string& value, const ConfigLocation& at) {
    const auto same = std::find_if(settings.begin(), settings.end(), [&](const PlanValue& each) {
      return each.kind == key.kind && each.key == key.key;
    });
    if (same == settings.end()) {
      settings.push_back({key.kind, key.key, located_value(key, value, at), at});
    } else {
      same->value = located_value(key, value, at);
    }
  };
  for (PlanValue& each : settings) each.value = located_value(each, each.value, each.place);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (const PlanValue& key : axes[i].keys) set(key, values[i], axes[i].place);
    const auto own = axes[i].settings_of_value.find(values[i]);
    if (own == axes[i].settings_of_value.end()) continue;
    for (const PlanValue& key : own->second) set(key, key.value, {});
  }
  return settings;
}

std::string SweepPlan::label_of(const std::vector<std::string>& values) const {
  std::string label;
  for (std::size_t i = 0; i < values.size(); ++i)
    label += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes[i].name, values[i]);
  return label;
}

std::map<std::string, std::string> SweepPlan::named_columns() const {
  std::map<std::string, std::string> columns;
  const auto add = [&columns](const std::string& name, const std::string& what) {
    columns.try_emplace(folded_name(name), what);
  };
  for (const PlanColumn& each : keys) add(each.name, "keys." + each.name);
  for (const PlanExpression& each : derived) add(each.name, "derived." + each.name);
  for (const PlanAxis& axis : axes)
    add(setting_column(axis.name), fmt::format("the axis {}", quote(axis.name)));
  return columns;
}

std::string SweepPlan::axis_keys_as_json() const {
  nlohmann::ordered_json texts = nlohmann::ordered_json::object();
  for (const PlanAxis& axis : axes) {
    auto keys = nlohmann::ordered_json::array();
    for (const PlanValue& key : axis.keys)
      if (key.key != axis.name) keys.push_back(setting_column(key.key));
    if (!keys.empty()) texts[setting_column(axis.name)] = std::move(keys);
  }
  return json_text(texts);
}

std::string SweepPlan::derived_as_json() const {
  nlohmann::ordered_json texts = nlohmann::ordered_json::object();
  for (const PlanExpression& each : derived) texts[each.name] = each.text;
  return json_text(texts);
}

SweepPlan load_plan(const std::string& path, const std::vector<std::string>& options) {
  return PlanReader(path, options).read();
}

}  // namespace kernbench
