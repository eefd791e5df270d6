#include "platform/topology/config_tree.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>

namespace kernbench {
namespace {

constexpr int deepest_nesting = 32;  // an anchor that contains itself has no end

ConfigPlace place_of(const YAML::Mark& mark, const std::string& file) { return {file, mark.line + 1, mark.column + 1}; }

ConfigNode convert(const YAML::Node& yaml, const std::string& file, int depth, std::vector<ConfigIssue>& issues) {
  ConfigNode node;
  node.place = place_of(yaml.Mark(), file);
  if (depth > deepest_nesting) {
    issues.push_back(issue_at(node.place, "", "nested more than " + std::to_string(deepest_nesting) + " levels deep"));
    return node;
  }
  if (yaml.IsScalar()) {
    node.kind = ConfigNode::Kind::scalar;
    node.text = yaml.Scalar();
    node.quoted = yaml.Tag() == "!";
  } else if (yaml.IsSequence()) {
    node.kind = ConfigNode::Kind::list;
    for (const YAML::Node& item : yaml) node.items.push_back(convert(item, file, depth + 1, issues));
  } else if (yaml.IsMap()) {
    node.kind = ConfigNode::Kind::map;
    for (const auto& pair : yaml) {
      ConfigEntry entry;
      entry.place = place_of(pair.first.Mark(), file);
      if (!pair.first.IsScalar()) {
        issues.push_back(issue_at(entry.place, "", "found a key that is not a plain word"));
        continue;
      }
      entry.key = pair.first.Scalar();
      entry.value = convert(pair.second, file, depth + 1, issues);
      if (pair.second.IsNull()) entry.value.place = entry.place;  // yaml-cpp has no mark for what is absent
      if (node.find(entry.key) != nullptr) {
        issues.push_back(issue_at(entry.place, entry.key, "the key is given twice in the same section"));
        continue;
      }
      node.entries.push_back(std::move(entry));
    }
  }
  return node;
}

void merge(ConfigNode& base, ConfigNode over) {
  if (base.kind != ConfigNode::Kind::map || over.kind != ConfigNode::Kind::map) {
    base = std::move(over);
    return;
  }
  base.place = over.place;
  for (ConfigEntry& entry : over.entries) {
    ConfigNode* existing = base.find(entry.key);
    if (existing == nullptr) {
      base.entries.push_back(std::move(entry));
    } else {
      merge(*existing, std::move(entry.value));
    }
  }
}

// `chain`: the files being read, outermost first.
ConfigNode load_file(const std::string& path, std::vector<std::string>& chain, const ConfigPlace& asked_at,
                     std::vector<ConfigIssue>& issues) {
  std::error_code error;
  const std::string canonical = std::filesystem::weakly_canonical(path, error).string();
  if (std::find(chain.begin(), chain.end(), canonical) != chain.end()) {
    issues.push_back(issue_at(asked_at, "include", "'" + path + "' includes itself, directly or through other files"));
    return {};
  }
  ConfigNode node;
  try {
    node = convert(YAML::LoadFile(path), path, 0, issues);
  } catch (const YAML::BadFile&) {
    issues.push_back(issue_at(asked_at.file.empty() ? ConfigPlace{path, 0, 0} : asked_at, asked_at.file.empty() ? "" : "include",
                              "the file '" + path + "' cannot be read"));
    return {};
  } catch (const YAML::Exception& fault) {
    issues.push_back(issue_at(place_of(fault.mark, path), "", "not valid YAML: " + fault.msg));
    return {};
  }
  if (node.kind != ConfigNode::Kind::map) {
    issues.push_back(issue_at({path, 1, 1}, "", "found " + node.described() + ", expected keys with values"));
    return {};
  }
  const auto include =
      std::find_if(node.entries.begin(), node.entries.end(), [](const ConfigEntry& entry) { return entry.key == "include"; });
  if (include == node.entries.end()) return node;
  if (include->value.kind != ConfigNode::Kind::scalar) {
    issues.push_back(
        issue_at(include->place, "include", "found " + include->value.described() + ", allowed is the name of a file"));
    return {};
  }
  const ConfigPlace place = include->value.place;
  const std::string base_path = (std::filesystem::path(path).parent_path() / include->value.text).string();
  node.entries.erase(include);
  chain.push_back(canonical);
  ConfigNode base = load_file(base_path, chain, place, issues);
  chain.pop_back();
  if (base.kind != ConfigNode::Kind::map) return {};  // reported; without the base nearly every key would seem to be missing
  merge(base, std::move(node));
  return base;
}

}  // namespace

const ConfigNode* ConfigNode::find(const std::string& key) const {
  for (const ConfigEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

ConfigNode* ConfigNode::find(const std::string& key) {
  return const_cast<ConfigNode*>(static_cast<const ConfigNode*>(this)->find(key));  // NOLINT: same lookup, own object
}

std::string ConfigNode::described() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return quoted ? "the text '" + text + "'" : "'" + text + "'";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a section";
  }
  return "";
}

ConfigIssue issue_at(const ConfigPlace& place, std::string key, std::string message) {
  return {place.file, place.line, place.column, std::move(key), std::move(message)};
}

ConfigNode load_config_tree(const std::string& path, std::vector<ConfigIssue>& issues) {
  std::vector<std::string> chain;
  return load_file(path, chain, {}, issues);
}

}  // namespace kernbench
