#include "sc_main/sweep_point.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "models/base/exception_text.h"
#include "platform/config/components_file.h"
#include "platform/config/shipped_files.h"
#include "platform/output/json_text.h"
#include "platform/sweep/process_pool.h"
#include "platform/sweep/sweep_columns.h"
#include "platform/sweep/text_hash.h"
#include "platform/topology/cube_mesh.h"
#include "sc_main/bench_run.h"
#include "sc_main/ccl_file.h"
#include "sc_main/plan_check.h"
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

std::string PointRunner::faults(const std::vector<std::string>& first) const {
  return plan_faults(plan_, first, catalogue_);
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
