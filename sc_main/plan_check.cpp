#include "sc_main/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/base/exception_text.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/config/shipped_files.h"
#include "platform/sweep/sweep_columns.h"
#include "platform/topology/load_machine.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/ccl_file.h"
#include "sc_main/run_command_line.h"
#include "sc_main/sweep_keys.h"
#include "sc_main/sweep_point.h"

namespace kernbench {
namespace {

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

// Whether the fault is that of a key, of one below it, or of a section that it names and that does
// not exist ("cube.linkz").
bool is_about(const ConfigIssue& issue, const std::string& setting) {
  const std::string key = setting.substr(setting.find(':') + 1);
  if (issue.line != 0) return false;
  if (issue.key == key || begins_with(issue.key, key + '.')) return true;
  return begins_with(key, issue.key + '.') && issue.file.find(setting) != std::string::npos;
}

// Whether the key names an instance, such as sip0.cube1.pe2.pe_gemm.
bool is_of_instance(const std::string& setting) {
  const std::string key =
      begins_with(setting, "topology:") ? setting.substr(setting.find(':') + 1) : setting;
  const std::string first = key.substr(0, key.find('.'));
  static const std::vector<std::string> sections{"system", "sip", "cube", "overrides"};
  return first.find(':') == std::string::npos &&
         std::find(sections.begin(), sections.end(), first) == sections.end();
}

// Check at the first point of the plan, with accepted values instead of wrong ones.
class PlanCheck {
 public:
  PlanCheck(const SweepPlan& plan, std::vector<std::string> first,
            std::shared_ptr<const Catalogue> catalogue)
      : plan_(plan), values_(std::move(first)), catalogue_(std::move(catalogue)) {}

  std::vector<ConfigIssue> issues() {
    check_options();
    const bool has_machine = issues_.empty();
    if (has_machine) run_.parse(words_of_point(settings()));
    if (!catalogue_) {
      if (!has_machine) return std::move(issues_);
      catalogue_ = std::make_shared<const Catalogue>(machine().load_catalogue());
    }
    check_benches();
    if (has_machine) check_keys();
    return std::move(issues_);
  }

 private:
  std::vector<PlanValue> settings() const { return plan_.settings_of(values_); }
  const MachineOptions& machine() const { return run_.options.machine; }

  void fault(const ConfigLocation& place, const std::string& key, const std::string& message) {
    issues_.push_back(issue_at(place, key, message));
  }

  // A single wrong value is a failed point: an axis has a fault, that of its value at the point, if
  // this one and the first three are refused; a continuous range has three across it instead. An
  // accepted one replaces the value at the point.
  template <class Fault>
  std::string fault_of_values(std::size_t axis, const Fault& fault_of) {
    const AxisValues& values = plan_.axes[axis].values;
    std::string first = fault_of(values_[axis]);
    if (first.empty()) return "";
    for (std::uint64_t i = 0; i < tried && (values.is_drawn() || i < values.size()); ++i) {
      std::string value = values.is_drawn()
                              ? values.drawn_at(static_cast<double>(i) / static_cast<double>(tried))
                              : values.at(i);
      if (!fault_of(value).empty()) continue;
      values_[axis] = std::move(value);
      return "";
    }
    return first;
  }

  template <class Fault>
  void check_axis(std::size_t index, const Fault& fault_of) {
    const PlanAxis& axis = plan_.axes[index];
    const std::string found = fault_of_values(index, fault_of);
    if (found.empty()) return;
    const char* which = axis.values.is_drawn()       ? "three values across its range"
                        : axis.values.size() > tried ? "its first three values"
                                                     : "its values";
    fault(axis.place, "axes." + axis.name, fmt::format("none of {} is accepted: {}", which, found));
  }

  // Options other than the bench, each by itself.
  void check_options() {
    for (const PlanValue& each : plan_.constants) {
      if (each.kind != PlanKeyKind::option || is_set_by_axis(each) || each.key == "bench") continue;
      const std::string found = fault_of_option(each.key, each.value, each.place);
      if (!found.empty()) fault(each.place, each.key, found);
    }
    for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
      for (const PlanValue& key : plan_.axes[i].keys)
        if (key.kind == PlanKeyKind::option && key.key != "bench")
          check_axis(i, [&](const std::string& value) {
            return fault_of_option(key.key, value, plan_.axes[i].place);
          });
    }
  }

  bool is_set_by_axis(const PlanValue& constant) const {
    return std::any_of(plan_.axes.begin(), plan_.axes.end(), [&](const PlanAxis& axis) {
      return std::any_of(axis.keys.begin(), axis.keys.end(), [&](const PlanValue& key) {
        return key.kind == constant.kind && key.key == constant.key;
      });
    });
  }

  // "": the option of `run` accepts the value.
  static std::string fault_of_option(const std::string& name, const std::string& value,
                                     const ConfigLocation& place) {
    try {
      SweepPlan alone;  // finds files next to the plan
      alone.constants = {{PlanKeyKind::option, name, value, place}};
      const std::vector<PlanValue> settings = alone.settings_of({});
      RunCommandLine run;
      run.parse_alone(words_of_point(settings));
      run.options.limits();
      run.options.data_memory_bytes();
      for (const char* family : {"topology", "components", "ccl"})
        if (name == family) find_config(settings.front().value, family);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  void check_benches() {
    std::vector<std::string> benches;
    for (const PlanValue& each : plan_.constants)
      if (each.kind == PlanKeyKind::option && each.key == "bench") benches.push_back(each.value);
    for (const PlanAxis& axis : plan_.axes) {
      for (const PlanValue& key : axis.keys) {
        if (key.kind != PlanKeyKind::option || key.key != "bench") continue;
        benches.clear();
        for (std::uint64_t i = 0; i < axis.values.size(); ++i) benches.push_back(axis.values.at(i));
      }
    }
    for (const std::string& name : benches) check_parameters(find_bench(catalogue_->benches, name));
  }

  void check_parameters(const Bench& bench) {
    std::vector<std::string> names;
    for (const Parameter& parameter : bench.parameters) names.push_back(parameter.name());
    const auto check = [&](const PlanValue& key, const std::string& path, const char* or_option) {
      const bool known = std::find(names.begin(), names.end(), key.key) != names.end();
      if (key.kind == PlanKeyKind::parameter && !known) {
        std::vector<std::string> all = names;
        if (*or_option != '\0') {
          const std::vector<std::string> options = options_of_points();
          all.insert(all.end(), options.begin(), options.end());
        }
        fault(key.place, path,
              fmt::format("the bench {} has no parameter {}{}{}; its parameters: {}", bench.name,
                          quote(key.key), or_option, did_you_mean(key.key, all),
                          listed(names, "none")));
      } else if (key.kind == PlanKeyKind::option && *or_option != '\0' && known) {
        fault(key.place, path, "is the name of an option of run and of a parameter of the bench");
      }
    };
    for (const PlanValue& each : plan_.constants) check(each, "params." + each.key, "");
    for (const Parameter& parameter : bench.parameters) {
      check_names(bench, parameter.name());
      check_values(parameter);
    }
    for (const PlanAxis& axis : plan_.axes) {
      for (const PlanValue& key : axis.keys)
        check(key, "axes." + axis.name, ", and no option of run or key has this name");
    }
  }

  // Names of columns that are one with that of a parameter: SQL does not distinguish case.
  void check_names(const Bench& bench, const std::string& parameter) {
    const std::string column = setting_column(parameter), low = folded_name(column);
    const auto is_it = [&low](const std::string& name) { return folded_name(name) == low; };
    const std::string one =
        fmt::format("the bench {} has a parameter of this name, {}", bench.name, quote(parameter));
    for (const PlanAxis& axis : plan_.axes) {
      const bool sets_it = std::any_of(axis.keys.begin(), axis.keys.end(),
                                       [&](const PlanValue& key) { return is_it(key.key); });
      if (!sets_it && is_it(setting_column(axis.name)))
        fault(axis.place, "axes." + axis.name,
              one + ", which is not among the keys that the axis sets: name it otherwise");
    }
    const auto check = [&](const std::string& section, const auto& columns) {
      for (const auto& each : columns)
        if (is_it(each.name))
          fault(each.place, section + '.' + each.name, one + ": name it otherwise");
    };
    check("keys", plan_.keys);
    check("derived", plan_.derived);
  }

  void check_values(const Parameter& parameter) {
    const auto fault_of = [&parameter](const std::string& value) -> std::string {
      try {
        parameter.parse(value);
      } catch (const std::invalid_argument& error) {
        return error.what();
      }
      return "";
    };
    const auto is_it = [&parameter](const PlanValue& key) {
      return key.kind == PlanKeyKind::parameter && key.key == parameter.name();
    };
    for (const PlanValue& each : plan_.constants) {
      if (!is_it(each) || is_set_by_axis(each)) continue;
      const std::string found = fault_of(each.value);
      if (!found.empty()) fault(each.place, "params." + each.key, found);
    }
    for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
      const PlanAxis& axis = plan_.axes[i];
      if (std::none_of(axis.keys.begin(), axis.keys.end(), is_it)) continue;
      const std::optional<std::string> fraction = axis.values.fraction();
      if (fraction && parameter.type() == Parameter::Type::integer) {
        fault(axis.place, "axes." + axis.name,
              fmt::format("has values such as {}, and {} is an integer: multiple_of: 1 rounds them",
                          *fraction, parameter.name()));
      } else {
        check_axis(i, fault_of);
      }
    }
  }

  void check_keys() {
    for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
      const PlanAxis& axis = plan_.axes[i];
      for (const PlanValue& key : axis.keys) {
        if (key.kind != PlanKeyKind::setting) continue;
        const std::string found = fault_of_values(
            i, [&](const std::string& value) { return fault_of_setting(key.key, value); });
        if (!found.empty()) fault(key.place, "axes." + axis.name, found);
      }
    }
    for (const PlanValue& each : plan_.constants) {
      if (each.kind != PlanKeyKind::setting) continue;
      const std::string found = fault_of_setting(each.key, each.value);
      if (!found.empty()) fault(each.place, "set." + each.key, found);
    }
    RunCommandLine accepted;
    accepted.parse(words_of_point(settings()));
    for (ConfigIssue& issue : key_issues(plan_.keys, accepted.options, *catalogue_))
      issues_.push_back(std::move(issue));
  }

  // "": the machine and the collectives accept the value, with the other settings of the point.
  std::string fault_of_setting(const std::string& key, const std::string& value) const try {
    std::vector<std::string> texts;
    for (const PlanValue& each : settings()) {
      if (each.kind == PlanKeyKind::setting)
        texts.push_back(fmt::format("{}={}", each.key, each.key == key ? value : each.value));
    }
    for (const ConfigIssue& issue : issues_with(texts, is_of_instance(key)))
      if (is_about(issue, key)) return issue.message;
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }

  // Keys of other files are checked by the points. Names of instances need the whole machine.
  std::vector<ConfigIssue> issues_with(const std::vector<std::string>& settings,
                                       bool with_instances) const {
    std::vector<ConfigIssue> issues;
    const auto collect = [&issues](const auto& read) {
      try {
        read();
      } catch (const ConfigError& error) {
        issues.insert(issues.end(), error.issues().begin(), error.issues().end());
      }
    };
    collect([&] {
      const std::vector<Override> overrides =
          overrides_of(settings, "topology", machine().families);
      issues = setting_issues(machine().topology_path(), overrides, catalogue_->components);
      if (issues.empty() && with_instances)
        load_machine(machine().topology_path(), overrides, catalogue_->components);
    });
    collect([&] {
      load_ccl_file(find_config(machine().ccl, "ccl"),
                    overrides_of(settings, "ccl", machine().families), *catalogue_->algorithms);
    });
    return issues;
  }

  static constexpr std::uint64_t tried = 3;  // values of an axis
  const SweepPlan& plan_;
  std::vector<std::string> values_;  // values of the axes at the point
  std::shared_ptr<const Catalogue> catalogue_;
  RunCommandLine run_;  // options of the point
  std::vector<ConfigIssue> issues_;
};

}  // namespace

std::string plan_faults(const SweepPlan& plan, const std::vector<std::string>& first,
                        std::shared_ptr<const Catalogue> catalogue) try {
  std::vector<ConfigIssue> issues = PlanCheck(plan, first, std::move(catalogue)).issues();
  return issues.empty() ? "" : ConfigError(std::move(issues)).what();
} catch (const std::exception& error) {
  return fmt::format("{}: {}", plan.path, text_of(error));
}

}  // namespace kernbench
