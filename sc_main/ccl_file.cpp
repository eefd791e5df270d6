#include "sc_main/ccl_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "models/base/parameter_member.h"

namespace kernbench {
namespace {

using Kind = ConfigKey::Kind;

// Algorithms of all_reduce: the others have no entry, because the file does not choose them.
std::vector<const CollectiveAlgorithm*> choosable(const AlgorithmRegistry& algorithms) {
  std::vector<const CollectiveAlgorithm*> all;
  for (const CollectiveAlgorithm& algorithm : algorithms.algorithms()) {
    if (algorithm.op == CollectiveOp::all_reduce) all.push_back(&algorithm);
  }
  return all;
}

void add_values(std::vector<ConfigKey>& keys, const std::string& path,
                const ParameterSchema& parameters) {
  for (const Parameter& parameter : parameters)
    keys.push_back(
        ConfigKey::of_value(fmt::format("{}.{}", path, parameter.name()), parameter, false));
}

// Values that the section sets itself: defaults are resolved once the algorithm is known.
Attributes given_in(const ConfigNode* section, const ResolvedConfig& config,
                    const std::string& path) {
  Attributes values;
  if (section == nullptr) return values;
  for (const ConfigEntry& entry : section->entries) {
    const std::string key = fmt::format("{}.{}", path, entry.key);
    if (const ParameterValue* value = config.value(key)) values.set(entry.key, *value);
  }
  return values;
}

// A path from --set is relative to the working directory.
std::string tuning_path(const ResolvedConfig& config) {
  const ConfigLocation place = config.place("tuning_table");
  const std::filesystem::path sibling =
      place.line > 0 ? std::filesystem::path(place.file).parent_path() : std::filesystem::path();
  return (sibling / *config.text("tuning_table")).string();
}

// --- tuning table

constexpr const char* source = "spec 8.2";

std::vector<std::string> names_of(const AlgorithmRegistry& algorithms) {
  std::vector<std::string> names;
  for (const CollectiveAlgorithm& algorithm : algorithms.algorithms())
    names.push_back(algorithm.name);
  return names;
}

// Row of a key of a list element: schema, reader and writer iterate over the rows.
struct RowKey {
  Parameter parameter;
  ParameterMember member;
  bool required = false;
};

std::vector<RowKey> keys_of(TuningRow& row, const std::vector<std::string>& algorithms) {
  const auto bytes = [](const char* name, const char* description) {
    return Parameter::integer(name, description, "B", source).range("0", "9007199254740992");
  };
  return {
      {Parameter::choice("op", "the collective", collective_op_names(), source),
       ParameterMember(row.op), true},
      {Parameter::choice("sip_topology", "arrangement of the SIPs; default: any",
                         all_sip_topologies(), source),
       ParameterMember(row.sip_topology)},
      {Parameter::integer("ranks", "number of ranks; default: any", "", source).range("1", "16384"),
       ParameterMember(row.ranks)},
      {Parameter::choice("rank_unit", "unit of a rank; default: any", {"sip", "pe"}, source),
       ParameterMember(row.rank_unit)},
      {bytes("min_bytes", "smallest size of a rank's data; default: 0"),
       ParameterMember(row.min_bytes)},
      {bytes("max_bytes", "largest size of a rank's data; default: any"),
       ParameterMember(row.max_bytes)},
      {Parameter::choice("algorithm", "algorithm of these calls", algorithms, source),
       ParameterMember(row.algorithm), true},
  };
}

// Reader of one list element.
class RowReader {
 public:
  RowReader(const ResolvedConfig& config, std::size_t index)
      : config_(config), path_(fmt::format("choices.{}", index)) {}

  TuningRow row() const {
    TuningRow row;
    for (const RowKey& each : keys_of(row, {})) {
      if (const ParameterValue* value = config_.value(key(each.parameter.name().c_str())))
        each.member.assign(*value);
    }
    return row;
  }

  // Checks beyond the schema.
  void check(const TuningRow& row, const AlgorithmRegistry& algorithms,
             std::vector<ConfigIssue>& issues) const {
    const auto fault = [&](const char* name, const std::string& message) {
      issues.push_back(issue_at(config_.place(key(name)), key(name), message));
    };
    const CollectiveAlgorithm& algorithm = algorithms.find(row.algorithm);
    if (algorithm.op != row.op)
      fault("algorithm", fmt::format("found {}, an algorithm of {}, not of {}", algorithm.name,
                                     name_of(algorithm.op), name_of(row.op)));
    const auto& works_on = algorithm.sip_topologies;
    if (row.sip_topology &&
        std::find(works_on.begin(), works_on.end(), *row.sip_topology) == works_on.end())
      fault("algorithm", fmt::format("found {}, which does not work on the SIP topology {}",
                                     algorithm.name, *row.sip_topology));
    if (row.max_bytes && *row.max_bytes < row.min_bytes)
      fault("max_bytes", fmt::format("found {}, which is less than min_bytes, {}", *row.max_bytes,
                                     row.min_bytes));
  }

 private:
  std::string key(const char* name) const { return fmt::format("{}.{}", path_, name); }

  const ResolvedConfig& config_;
  std::string path_;
};

std::string row_text(TuningRow row) {
  std::string text;
  for (const RowKey& each : keys_of(row, {})) {
    if (const auto value = each.member.value())
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", each.parameter.name(),
                          format_value(*value));
  }
  return '{' + text + '}';
}

}  // namespace

ConfigSchema ccl_schema(const AlgorithmRegistry& algorithms) {
  std::vector<ConfigKey> keys{
      ConfigKey::of(Kind::section, "defaults", "settings of all algorithms", false)};
  std::vector<std::string> names = algorithms.names(CollectiveOp::all_reduce);
  names.insert(names.begin(), automatic);
  add_values(
      keys, "defaults",
      {Parameter::choice(
          "algorithm",
          "algorithm of all_reduce; auto: tuning_table chooses the algorithm of every collective",
          names, "spec 8.2")});
  add_values(keys, "defaults", ccl_parameters());
  keys.push_back(ConfigKey::of(Kind::section, "algorithms",
                               "algorithm -> settings that differ from the defaults", false));
  for (const CollectiveAlgorithm* algorithm : choosable(algorithms)) {
    const std::string path = "algorithms." + algorithm->name;
    keys.push_back(ConfigKey::of(Kind::section, path, algorithm->description, false));
    keys.back().family = "ALGORITHM";
    add_values(keys, path, ccl_parameters());
    add_values(keys, path, algorithm->parameters);
  }
  keys.push_back(ConfigKey::of(Kind::text, "tuning_table",
                               "tuning table (algorithm by collective and size), a file relative "
                               "to this one; written by kernbench tune-collectives",
                               false));
  return ConfigSchema(std::move(keys));
}

CclFile load_ccl_file(const std::string& path, const std::vector<Override>& overrides,
                      const AlgorithmRegistry& algorithms, bool with_tuning_table) {
  std::vector<ConfigIssue> issues;
  ConfigNode root = load_config_tree(path, issues);
  if (root.kind != ConfigNode::Kind::map) throw ConfigError(std::move(issues));
  for (const Override& override : overrides) apply_override(root, override, issues);
  const ResolvedConfig config = check_config(root, ccl_schema(algorithms), nullptr, issues);
  if (!issues.empty()) throw ConfigError(std::move(issues));

  CclFile file;
  if (const std::string* algorithm = config.text("defaults.algorithm")) file.algorithm = *algorithm;
  const Attributes defaults = given_in(root.find("defaults"), config, "defaults");
  for (const auto& [key, given] : defaults.values()) {
    if (key != "algorithm") file.defaults.set(key, given);
  }
  const ConfigNode* entries = root.find("algorithms");
  for (const CollectiveAlgorithm* algorithm : choosable(algorithms)) {
    const ConfigNode* own = entries == nullptr ? nullptr : entries->find(algorithm->name);
    Attributes values = given_in(own, config, "algorithms." + algorithm->name);
    if (!values.values().empty()) file.algorithms[algorithm->name] = std::move(values);
  }
  if (with_tuning_table && config.has("tuning_table")) {
    file.tuning =
        std::make_shared<const TuningTable>(load_tuning_file(tuning_path(config), algorithms));
  }
  return file;
}

std::string tuning_table_of(const std::string& path) {
  std::vector<ConfigIssue> issues;
  const ConfigNode root = load_config_tree(path, issues);
  const ConfigNode* table = root.find("tuning_table");
  if (table == nullptr || table->kind != ConfigNode::Kind::scalar) return "";
  return (std::filesystem::path(table->place.file).parent_path() / table->text).string();
}

ConfigSchema tuning_schema(const AlgorithmRegistry& algorithms) {
  std::vector<ConfigKey> keys{
      ConfigKey::of_list("choices", "rows of the table; the first that matches a call applies", 0,
                         4096),
      ConfigKey::of(Kind::section, "choices.*", "a range of calls and their algorithm")};
  TuningRow any;
  for (RowKey& each : keys_of(any, names_of(algorithms))) {
    std::string path = "choices.*." + each.parameter.name();
    keys.push_back(ConfigKey::of_value(std::move(path), std::move(each.parameter), each.required));
  }
  return ConfigSchema(std::move(keys));
}

TuningTable load_tuning_file(const std::string& path, const AlgorithmRegistry& algorithms) {
  std::vector<ConfigIssue> issues;
  const ConfigNode root = load_config_tree(path, issues);
  if (root.kind != ConfigNode::Kind::map) throw ConfigError(std::move(issues));
  const ResolvedConfig config = check_config(root, tuning_schema(algorithms), nullptr, issues);
  if (!issues.empty()) throw ConfigError(std::move(issues));
  TuningTable table;
  for (std::size_t i = 0; i < config.items("choices"); ++i) {
    const RowReader reader(config, i);
    table.rows.push_back(reader.row());
    reader.check(table.rows.back(), algorithms, issues);
  }
  if (!issues.empty()) throw ConfigError(std::move(issues));
  return table;
}

std::string tuning_text(const TuningTable& table) {
  if (table.rows.empty()) return "choices: []\n";
  std::string text = "choices:\n";
  for (const TuningRow& row : table.rows) text += "  - " + row_text(row) + '\n';
  return text;
}

}  // namespace kernbench
