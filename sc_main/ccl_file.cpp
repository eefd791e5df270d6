#include "sc_main/ccl_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "sc_main/tuning_file.h"

namespace kernbench {
namespace {

using Kind = ConfigKey::Kind;

// Of all_reduce: the others have no entry, because the file chooses none of them.
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

// What the section holds itself: defaults are resolved once the algorithm is known.
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

// From --set: relative to the working directory.
std::string tuning_path(const ResolvedConfig& config) {
  const ConfigLocation place = config.place("tuning_table");
  const std::filesystem::path beside =
      place.line > 0 ? std::filesystem::path(place.file).parent_path() : std::filesystem::path();
  return (beside / *config.text("tuning_table")).string();
}

}  // namespace

ConfigSchema ccl_schema(const AlgorithmRegistry& algorithms) {
  std::vector<ConfigKey> keys{ConfigKey::of(Kind::section, "defaults", "of all algorithms", false)};
  std::vector<std::string> names = algorithms.names(CollectiveOp::all_reduce);
  names.insert(names.begin(), automatic);
  add_values(keys, "defaults",
             {Parameter::choice("algorithm", "of all_reduce; auto: as tuning_table says, of all",
                                names, "spec 8.2")});
  add_values(keys, "defaults", ccl_parameters());
  keys.push_back(ConfigKey::of(Kind::section, "algorithms",
                               "algorithm -> what it has other than the defaults", false));
  for (const CollectiveAlgorithm* algorithm : choosable(algorithms)) {
    const std::string path = "algorithms." + algorithm->name;
    keys.push_back(ConfigKey::of(Kind::section, path, algorithm->description, false));
    keys.back().family = "ALGORITHM";
    add_values(keys, path, ccl_parameters());
    add_values(keys, path, algorithm->parameters);
  }
  keys.push_back(ConfigKey::of(Kind::text, "tuning_table",
                               "file that says which algorithm carries out what, relative to this "
                               "one; kernbench tune-collectives writes it",
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

}  // namespace kernbench
