#include "platform/config/components_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "models/base/quote.h"
#include "platform/config/config_schema.h"
#include "platform/config/nearest_name.h"

namespace kernbench {

ConfigSchema components_schema() {
  using Kind = ConfigKey::Kind;
  return ConfigSchema(
      {ConfigKey::of(Kind::section, "components", "implementation name -> factory"),
       ConfigKey::of(Kind::text, "components.*", "a registered factory"),
       ConfigKey::of_list("plugins", "shared libraries with further factories", 0, 256, false),
       ConfigKey::of(Kind::text, "plugins.*", "path of a shared library, relative to this file")});
}

namespace {

constexpr std::size_t longest_alias = 64;

bool is_alias(const std::string& name) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= longest_alias &&
         std::all_of(name.begin(), name.end(), allowed);
}

// `components.custom.gemm=...`: everything after the section is one name.
void override_name(ConfigNode& root, const Override& override, std::vector<ConfigIssue>& issues) {
  const std::string section = "components.";
  ConfigNode* names = root.find("components");
  if (override.key.rfind(section, 0) != 0 || names == nullptr ||
      names->kind != ConfigNode::Kind::map) {
    return apply_override(root, override, issues);
  }
  const std::string name = override.key.substr(section.size());
  const ConfigLocation place{fmt::format("--set components:{}={}", override.key, override.value), 0,
                             0};
  ConfigNode value;
  value.kind = ConfigNode::Kind::scalar;
  value.text = override.value;
  value.place = place;
  if (ConfigNode* existing = names->find(name)) {
    *existing = value;
  } else {
    names->entries.push_back({name, place, value});
  }
}

}  // namespace

ComponentsFile load_components_file(const std::string& path,
                                    const std::vector<Override>& overrides) {
  std::vector<ConfigIssue> issues;
  ConfigNode root = load_config_tree(path, issues);
  if (root.kind != ConfigNode::Kind::map) throw ConfigError(std::move(issues));
  for (const Override& override : overrides) override_name(root, override, issues);
  const ResolvedConfig config = check_config(root, components_schema(), nullptr, issues);
  if (!issues.empty()) throw ConfigError(std::move(issues));

  ComponentsFile file;
  for (const std::string& name : config.keys("components")) {
    const std::string key = "components." + name;
    if (!is_alias(name)) {
      issues.push_back(issue_at(
          config.place(key), key,
          fmt::format("found the name {}, allowed are at most {} letters, digits, '_', '-' and '.'",
                      quote(name), longest_alias)));
      continue;
    }
    file.aliases.push_back({name, *config.text(key), config.place(key)});
  }
  if (!issues.empty()) throw ConfigError(std::move(issues));
  for (std::size_t i = 0; i < config.items("plugins"); ++i) {
    const std::string key = "plugins." + std::to_string(i);
    const ConfigLocation place = config.place(key);
    const bool in_file = place.line > 0;  // from --set: relative to the working directory
    const std::filesystem::path sibling =
        in_file ? std::filesystem::path(place.file).parent_path() : std::filesystem::path();
    file.plugins.push_back((sibling / *config.text(key)).string());
    file.plugin_places.push_back(in_file ? fmt::format("{}:{}", place.file, place.line)
                                         : place.file);
  }
  return file;
}

void apply_aliases(const ComponentsFile& file, ComponentRegistry& registry) {
  std::vector<ConfigIssue> issues;
  std::vector<std::string> factories;
  for (const Implementation* implementation : registry.list())
    factories.push_back(implementation->name);
  for (const ComponentsFile::Alias& alias : file.aliases) {
    const std::string key = "components." + alias.name;
    if (registry.find(alias.factory) == nullptr) {
      issues.push_back(
          issue_at(alias.place, key,
                   fmt::format("found {}, allowed is a registered factory{}", quote(alias.factory),
                               did_you_mean(alias.factory, factories))));
    } else if (alias.name == alias.factory) {
      continue;
    } else if (registry.find(alias.name) != nullptr) {
      issues.push_back(
          issue_at(alias.place, key,
                   "the name belongs to another factory already; choose a new one for " +
                       quote(alias.factory)));
    } else {
      registry.add_alias(alias.name, alias.factory);
    }
  }
  if (!issues.empty()) throw ConfigError(std::move(issues));
}

}  // namespace kernbench
