#include "sc_main/ccl_file.h"

#include <fmt/format.h>

#include "platform/topology/config_schema.h"

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

ConfigKey section(std::string path, std::string description) {
  return {std::move(path), Kind::section, std::move(description), false, {}, 0, 0};
}

ConfigKey value(const std::string& path, const Parameter& parameter) {
  return {fmt::format("{}.{}", path, parameter.name()),
          Kind::value,
          parameter.description(),
          false,
          parameter,
          0,
          0};
}

ConfigSchema ccl_schema(const AlgorithmRegistry& algorithms) {
  std::vector<ConfigKey> keys{
      section("defaults", "of all algorithms"),
      value("defaults", Parameter::choice("algorithm", "of all_reduce",
                                          algorithms.names(CollectiveOp::all_reduce), "spec 8.2"))};
  for (const Parameter& parameter : ccl_parameters()) keys.push_back(value("defaults", parameter));
  keys.push_back(section("algorithms", "algorithm -> what it has other than the defaults"));
  for (const CollectiveAlgorithm* algorithm : choosable(algorithms)) {
    const std::string path = "algorithms." + algorithm->name;
    keys.push_back(section(path, algorithm->description));
    for (const Parameter& parameter : ccl_parameters()) keys.push_back(value(path, parameter));
    for (const Parameter& parameter : algorithm->parameters) keys.push_back(value(path, parameter));
  }
  return ConfigSchema(std::move(keys));
}

// What the section holds itself: defaults are resolved once the algorithm is known.
Attributes given_in(const ConfigNode* section, const ResolvedConfig& config,
                    const std::string& path) {
  Attributes values;
  if (section == nullptr) return values;
  for (const ConfigEntry& entry : section->entries) {
    const std::string key = fmt::format("{}.{}", path, entry.key);
    if (const Rational* number = config.number(key)) values.set(entry.key, *number);
    if (const std::string* text = config.text(key)) values.set(entry.key, *text);
  }
  return values;
}

}  // namespace

CclFile load_ccl_file(const std::string& path, const std::vector<Override>& overrides,
                      const AlgorithmRegistry& algorithms) {
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
  return file;
}

}  // namespace kernbench
