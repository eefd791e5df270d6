#include "sc_main/sweep_point.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "models/base/exception_text.h"
#include "models/base/quote.h"
#include "platform/config/components_file.h"
#include "platform/config/nearest_name.h"
#include "platform/config/shipped_files.h"
#include "platform/output/json_text.h"
#include "platform/sweep/process_pool.h"
#include "platform/sweep/sweep_columns.h"
#include "platform/sweep/text_hash.h"
#include "platform/topology/cube_mesh.h"
#include "platform/topology/load_machine.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/bench_run.h"
#include "sc_main/ccl_file.h"
#include "sc_main/run_command_line.h"
#include "sc_main/sweep_keys.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

bool is_result_file(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return option.get_group() != "Machine" && (type == "F" || type.compare(0, 2, "F.") == 0);
}

const CLI::Option& option_of_run(const std::string& name) {
  static const RunCommandLine run;
  return *run.app.get_option("--" + name);
}

void add_option(std::vector<std::string>& words, const PlanValue& setting) {
  const CLI::Option& option = option_of_run(setting.key);
  const std::string name = "--" + setting.key;
  const auto add = [&](const std::string& value) {
    if (option.get_expected_min() > 0 && value.compare(0, 1, "-") != 0) {
      words.insert(words.end(), {name, value});
    } else {
      words.push_back(name + '=' + value);
    }
  };
  const bool is_flag = option.get_expected_min() == 0;
  if (is_flag && setting.value == "false") return;
  if (is_flag && setting.value == "true") {
    words.push_back(name);
  } else if (setting.value.compare(0, 1, "[") == 0 && option.get_expected_max() > 1) {
    const std::string list = setting.value.substr(1, setting.value.size() - 2);
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 2) {
      end = list.find(", ", begin);
      add(list.substr(begin, end == std::string::npos ? end : end - begin));
    }
  } else {
    add(setting.value);
  }
}

const PlanValue* find(const std::vector<PlanValue>& settings, PlanKeyKind kind,
                      const std::string& key) {
  for (const PlanValue& each : settings)
    if (each.kind == kind && each.key == key) return &each;
  return nullptr;
}

// Whether points differ in their plug-ins or names of implementations, of which a process loads one
// set.
bool has_own_catalogues(const SweepPlan& plan) {
  for (const PlanAxis& axis : plan.axes) {
    for (const PlanValue& key : axis.keys) {
      if (key.kind == PlanKeyKind::option && (key.key == "plugin" || key.key == "components"))
        return true;
      if (key.kind == PlanKeyKind::setting && key.key.compare(0, 11, "components:") == 0)
        return true;
    }
  }
  return false;
}

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

}  // namespace

std::vector<std::string> options_of_points() {
  static const std::vector<std::string> refused{"help",         "param", "set",       "json",
                                                "print-config", "log",   "max-memory"};
  const RunCommandLine run;
  std::vector<std::string> files, names;
  const auto all = run.app.get_options();
  for (const CLI::Option* option : all)
    if (is_result_file(*option)) files.push_back(option->get_lnames().front());
  for (const CLI::Option* option : all) {
    if (option->get_lnames().empty()) continue;
    const std::string name = option->get_lnames().front();
    // --trace-scope and the like are of no use without --trace.
    const bool of_file = std::any_of(files.begin(), files.end(), [&name](const auto& file) {
      return name.compare(0, file.size(), file) == 0;
    });
    if (!of_file && std::find(refused.begin(), refused.end(), name) == refused.end())
      names.push_back(name);
  }
  return names;
}

std::vector<std::string> words_of_point(const std::vector<PlanValue>& settings) {
  std::vector<std::string> words{"run"};
  for (const PlanValue& setting : settings)
    if (setting.kind == PlanKeyKind::option) add_option(words, setting);
  for (const PlanValue& setting : settings) {
    if (setting.kind == PlanKeyKind::option) continue;
    words.emplace_back(setting.kind == PlanKeyKind::parameter ? "--param" : "--set");
    words.push_back(fmt::format("{}={}", setting.key, setting.value));
  }
  return words;
}

std::string value_of_process(const std::string& what,
                             const std::function<std::string()>& function) {
  ProcessPool pool(1, [&function](std::uint64_t /*id*/) { return function(); });
  pool.start(1);
  std::optional<ProcessOutcome> outcome;
  while (!outcome) outcome = pool.wait(1000);
  if (!outcome->fault.empty())
    throw UsageError(fmt::format("{} {}: {}", what, outcome->fault, outcome->errors));
  return outcome->value;
}

// --- Files

std::string InputFiles::hash(const std::vector<PlanValue>& settings) {
  MachineOptions options;
  options.families = {"topology", "components", "ccl", "energy"};
  std::string names;
  const auto read = [&](const char* name, std::string& value) {
    const PlanValue* setting = find(settings, PlanKeyKind::option, name);
    if (setting != nullptr) value = setting->value;
    names += value + '\n';
  };
  read("topology", options.topology);
  read("components", options.components);
  read("ccl", options.ccl);
  read("energy-table", options.energy_table);
  for (const PlanValue& each : settings) {
    if (each.kind != PlanKeyKind::option || each.key != "plugin") continue;
    std::vector<std::string> words;
    add_option(words, each);
    for (std::size_t i = 1; i < words.size(); i += 2) options.plugins.push_back(words[i]);
    names += each.value + '\n';
  }
  const PlanValue* tuning = find(settings, PlanKeyKind::setting, "ccl:tuning_table");
  const std::string table = tuning == nullptr ? "" : tuning->value;
  std::string& hash = by_names_[names + table];
  if (hash.empty()) hash = hash_of(options, table);
  return hash;
}

// A missing file has no content: the points that need it fail.
std::string InputFiles::hash_of(const MachineOptions& options, const std::string& tuning_table) {
  std::string text;
  const auto add = [&](const std::string& path) { text += content_hash(path) + '\n'; };
  try {
    // The layout of a cube is written by runs, never read by them.
    const std::string layout = mesh_file_next_to(options.topology_path());
    for (const FileInUse& file : options.files_in_use())
      if (file.path != layout) add(file.path);
    add(tuning_table.empty() ? tuning_table_of(find_config(options.ccl, "ccl")) : tuning_table);
    const std::string components = find_config(options.components, "components");
    for (const std::string& plugin : load_components_file(components).plugins) add(plugin);
  } catch (const Error& error) {
    text += error.what();
  }
  return text_hash(text);
}

const std::string& InputFiles::content_hash(const std::string& path) {
  std::string& hash = by_path_[path];
  if (hash.empty()) {
    std::ifstream file(path, std::ios::binary);
    hash = text_hash({std::istreambuf_iterator<char>(file), {}});
  }
  return hash;
}

// --- Check of a plan

// Faults of a plan that every point would have.
class PointRunner::Check {
 public:
  Check(const SweepPlan& plan, const std::vector<PlanValue>& first, const Catalogue& catalogue,
        const MachineOptions& machine)
      : plan_(plan), first_(first), catalogue_(catalogue), machine_(machine) {}

  std::vector<ConfigIssue> issues() {
    check_benches();
    if (!check_options()) return std::move(issues_);
    for (const PlanAxis& axis : plan_.axes) {
      for (const PlanValue& key : axis.keys)
        if (key.kind == PlanKeyKind::setting) check_axis(axis, key);
    }
    for (const PlanValue& constant : plan_.constants)
      if (constant.kind == PlanKeyKind::setting) check_value("set." + constant.key, constant);
    return std::move(issues_);
  }

 private:
  void fault(const ConfigLocation& place, const std::string& key, const std::string& message) {
    issues_.push_back(issue_at(place, key, message));
  }

  // Constants, and axes of whose first values none is accepted. Whether the machine of the first
  // point can be read, so that its keys can be checked.
  bool check_options() {
    const std::size_t before = issues_.size();
    for (const PlanValue& each : plan_.constants) {
      if (each.kind != PlanKeyKind::option || is_set_by_axis(each) || each.key == "bench") continue;
      const std::string found = fault_of_option(each.key, each.value, each.place);
      if (!found.empty()) fault(each.place, each.key, found);
    }
    for (const PlanAxis& axis : plan_.axes) {
      for (const PlanValue& key : axis.keys)
        if (key.kind == PlanKeyKind::option && key.key != "bench")
          check_first_values(axis, [&](const std::string& value) {
            return fault_of_option(key.key, value, axis.place);
          });
    }
    const PlanValue* topology = find(first_, PlanKeyKind::option, "topology");
    return issues_.size() == before &&
           (topology == nullptr || fault_of_option("topology", topology->value, {}).empty());
  }

  bool is_set_by_axis(const PlanValue& constant) const {
    return std::any_of(plan_.axes.begin(), plan_.axes.end(), [&](const PlanAxis& axis) {
      return std::any_of(axis.keys.begin(), axis.keys.end(), [&](const PlanValue& key) {
        return key.kind == constant.kind && key.key == constant.key;
      });
    });
  }

  // "": the option of `run` accepts the value.
  std::string fault_of_option(const std::string& name, const std::string& value,
                              const ConfigLocation& place) const {
    try {
      SweepPlan alone;  // finds files next to the plan
      alone.constants = {{PlanKeyKind::option, name, value, place}};
      const std::vector<PlanValue> settings = alone.settings_of({});
      RunCommandLine run;
      run.parse_alone(words_of_point(settings));
      for (const char* family : {"topology", "components", "ccl"})
        if (name == family) find_config(settings.front().value, family);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  template <class Fault>
  void check_first_values(const PlanAxis& axis, const Fault& fault_of) {
    constexpr std::uint64_t tried = 3;
    std::string first;
    const std::uint64_t count = std::min(axis.values.size(), tried);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string found = fault_of(axis.values.at(i));
      if (found.empty()) return;
      if (first.empty()) first = found;
    }
    if (count > 0)
      fault(axis.place, "axes." + axis.name,
            fmt::format("none of its {}values is accepted: {}",
                        axis.values.size() > tried ? "first three " : "", first));
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
    for (const std::string& name : benches) check_parameters(find_bench(catalogue_.benches, name));
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
    for (const PlanAxis& axis : plan_.axes) {
      if (std::none_of(axis.keys.begin(), axis.keys.end(), is_it)) continue;
      const std::optional<std::string> fraction = axis.values.fraction();
      if (fraction && parameter.type() == Parameter::Type::integer) {
        fault(axis.place, "axes." + axis.name,
              fmt::format("has values such as {}, and {} is an integer: multiple_of: 1 rounds them",
                          *fraction, parameter.name()));
      } else {
        check_first_values(axis, fault_of);
      }
    }
  }

  // Refused if none of its first values is accepted: a single wrong value is a failed point.
  void check_axis(const PlanAxis& axis, const PlanValue& key) {
    constexpr std::uint64_t tried = 3;
    const std::size_t before = issues_.size();
    const PlanValue* first = find(first_, PlanKeyKind::setting, key.key);
    std::vector<std::string> values{first->value};
    for (std::uint64_t i = 0; i < std::min(axis.values.size(), tried); ++i)
      values.push_back(axis.values.at(i));
    for (const std::string& value : values) {
      const std::size_t faults = issues_.size();
      check_value("axes." + axis.name, {key.kind, key.key, value, key.place});
      if (issues_.size() == faults) return issues_.resize(before);
    }
    issues_.resize(before + 1);
  }

  void check_value(const std::string& path, const PlanValue& setting) try {
    std::vector<std::string> settings;
    for (const PlanValue& each : first_) {
      if (each.kind == PlanKeyKind::setting)
        settings.push_back(
            fmt::format("{}={}", each.key, each.key == setting.key ? setting.value : each.value));
    }
    for (const ConfigIssue& issue : issues_with(settings, is_of_instance(setting.key))) {
      if (is_about(issue, setting.key)) return fault(setting.place, path, issue.message);
    }
  } catch (const UsageError& error) {
    fault(setting.place, path, error.what());
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
      const std::vector<Override> overrides = overrides_of(settings, "topology", machine_.families);
      issues = setting_issues(machine_.topology_path(), overrides, catalogue_.components);
      if (issues.empty() && with_instances)
        load_machine(machine_.topology_path(), overrides, catalogue_.components);
    });
    collect([&] {
      load_ccl_file(find_config(machine_.ccl, "ccl"),
                    overrides_of(settings, "ccl", machine_.families), *catalogue_.algorithms);
    });
    return issues;
  }

  const SweepPlan& plan_;
  const std::vector<PlanValue>& first_;
  const Catalogue& catalogue_;
  const MachineOptions& machine_;
  std::vector<ConfigIssue> issues_;
};

// --- Run of a point

PointRunner::PointRunner(const SweepPlan& plan, const Limits& limits)
    : plan_(plan), limits_(limits) {
  if (has_own_catalogues(plan)) return;
  RunCommandLine run;
  std::vector<PlanValue> common;
  for (const PlanValue& each : plan.constants) {
    const bool chooses = each.kind == PlanKeyKind::option
                             ? each.key == "plugin" || each.key == "components"
                             : each.key.compare(0, 11, "components:") == 0;
    if (chooses) common.push_back(each);
  }
  run.parse(words_of_point(common));
  catalogue_ = std::make_shared<const Catalogue>(run.options.machine.load_catalogue());
}

std::string PointRunner::faults(const std::vector<PlanValue>& settings) const try {
  RunCommandLine run;
  run.parse(words_of_point(settings));
  const std::shared_ptr<const Catalogue> catalogue =
      catalogue_ ? catalogue_
                 : std::make_shared<const Catalogue>(run.options.machine.load_catalogue());
  std::vector<ConfigIssue> issues =
      Check(plan_, settings, *catalogue, run.options.machine).issues();
  for (ConfigIssue& issue : key_issues(plan_.keys, run.options, *catalogue))
    issues.push_back(std::move(issue));
  return issues.empty() ? "" : ConfigError(std::move(issues)).what();
} catch (const std::exception& error) {
  return fmt::format("{}: {}", plan_.path, text_of(error));
}

std::string PointRunner::run(const std::vector<PlanValue>& settings) const {
  Json result;
  try {
    const std::vector<std::string> words = words_of_point(settings);
    RunCommandLine run;
    run.parse(words);
    run.options.machine.max_memory = std::to_string(limits_.memory_bytes);
    Invocation invocation{{"kernbench"}, {}};
    invocation.words.insert(invocation.words.end(), words.begin(), words.end());
    BenchSummary summary = run_bench(run.options, invocation, catalogue_, limits_.threads);
    result["status"] = summary.status;
    result["until"] = summary.json["status"] == "until_reached";
    result["hash"] = summary.hash;
    result["configuration"] = summary.configuration;
    result["parameters"] = summary.parameters;
    // The settings of the point are columns of their own.
    for (const char* key : {"topology", "device", "seed", "data"})
      result["settings"][key] = summary.json[key];
    for (const char* key :
         {"bench", "parameters", "topology", "device", "seed", "data", "status", "histogram"})
      summary.json.erase(key);
    summary.json["activity"].erase("pes");
    result["keys"] = key_columns(plan_.keys, {summary.configuration, summary.ccl});
    result["summary"] = columns_of(summary.json, summary.row_names);
  } catch (const std::exception& error) {
    result["status"] = exit_status_of(error);
    result["message"] = text_of(error);
  } catch (...) {
    result["status"] = exit_failed;
    result["message"] = "an exception that is not a std::exception";
  }
  return json_text(result);
}

void PointRunner::add_result(const std::string& text, SweepRow& row) {
  const Json result = Json::parse(text);
  row.status = result["status"] == exit_done ? "ok" : "failed";
  if (result.contains("message")) row.message = result["message"];
  if (row.status == "ok" && result["until"] == true) {
    row.status = "until";
    row.message = "stopped by --until before the bench ended";
  }
  if (!result.contains("summary")) return;
  row.hash = result["hash"];
  row.configuration = result["configuration"];
  for (const auto& parameter : result["parameters"]) {
    const std::string value = parameter[1];
    const std::optional<double> number = number_of(value);
    row.settings.emplace_back(setting_column(parameter[0]), number ? Json(*number) : Json(value));
  }
  for (const auto& [name, value] : result["settings"].items())
    row.settings.emplace_back(setting_column(name), value);
  for (const auto& column : result["keys"]) row.settings.emplace_back(column[0], column[1]);
  for (const auto& column : result["summary"]) row.summary.emplace_back(column[0], column[1]);
}

}  // namespace kernbench
