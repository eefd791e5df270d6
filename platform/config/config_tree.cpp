#include "platform/config/config_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/config/yaml_text.h"

namespace kernbench {
namespace {

ConfigLocation place_of(const YAML::Mark& mark, const std::string& file) {
  return {file, mark.line + 1, mark.column + 1};
}

// Conversion from yaml-cpp's tree. An alias is a copy, so a self-containing one is endless, and a
// few nested ones expand to millions of nodes.
class Conversion {
 public:
  // Without `all_at` the places are those of the text.
  Conversion(std::string file, std::optional<ConfigLocation> all_at,
             std::vector<ConfigIssue>& issues)
      : file_(std::move(file)), all_at_(std::move(all_at)), issues_(issues) {}

  ConfigNode convert(const YAML::Node& yaml, const std::string& path, int depth = 0) {
    ConfigNode node;
    node.place = place(yaml);
    if (depth == 0) root_ = path;
    if (depth > deepest)
      return refused(std::move(node), fmt::format("nested more than {} levels deep", deepest));
    if (++values_ > most_values)
      return refused(std::move(node),
                     fmt::format("more than {} values, aliases counted at each use", most_values));
    if (yaml.IsScalar()) {
      node.kind = ConfigNode::Kind::scalar;
      node.text = yaml.Scalar();
      node.quoted = yaml.Tag() == "!";
    } else if (yaml.IsSequence()) {
      node.kind = ConfigNode::Kind::list;
      for (const YAML::Node& item : yaml)
        node.items.push_back(
            convert(item, joined(path, std::to_string(node.items.size())), depth + 1));
    } else if (yaml.IsMap()) {
      node.kind = ConfigNode::Kind::map;
      for (const auto& pair : yaml) {
        if (!is_merge(pair.first)) entry(node, pair.first, pair.second, path, depth);
      }
      for (const auto& pair : yaml) {
        if (is_merge(pair.first)) merge_in(node, pair.second, path, depth);
      }
    }
    return node;
  }

 private:
  static constexpr int deepest = 32;
  static constexpr int most_values = 100'000;

  static std::string joined(const std::string& path, const std::string& step) {
    return path.empty() ? step : path + '.' + step;
  }

  ConfigLocation place(const YAML::Node& yaml) const {
    return all_at_ ? *all_at_ : place_of(yaml.Mark(), file_);
  }

  // Reported once: an endless tree has endless faults.
  ConfigNode refused(ConfigNode node, std::string message) {
    if (!refused_) issues_.push_back(issue_at(node.place, root_, std::move(message)));
    refused_ = true;
    return node;
  }

  // "<<: *base" and "<<: [*first, *second]" of YAML 1.1: adds keys that the map lacks; of several
  // maps the first one wins.
  static bool is_merge(const YAML::Node& key) {
    return key.IsScalar() && key.Scalar() == "<<" && key.Tag() != "!";
  }
  void merge_in(ConfigNode& node, const YAML::Node& value, const std::string& path, int depth) {
    if (value.IsSequence()) {
      for (const YAML::Node& each : value) merge_in(node, each, path, depth);
      return;
    }
    ConfigNode from = convert(value, path, depth + 1);
    if (from.kind != ConfigNode::Kind::map) {
      issues_.push_back(issue_at(
          from.place, joined(path, "<<"),
          fmt::format("found {}, allowed is a section, or a list of them", from.described())));
      return;
    }
    for (ConfigEntry& each : from.entries) {
      if (node.find(each.key) == nullptr) node.entries.push_back(std::move(each));
    }
  }

  void entry(ConfigNode& node, const YAML::Node& key, const YAML::Node& value,
             const std::string& path, int depth) {
    ConfigEntry entry;
    entry.place = place(key);
    if (!key.IsScalar()) {
      issues_.push_back(issue_at(entry.place, path, "found a key that is not a plain word"));
      return;
    }
    entry.key = key.Scalar();
    const std::string here = joined(path, entry.key);
    if (node.find(entry.key) != nullptr) {
      issues_.push_back(issue_at(entry.place, here, "the key is given twice in the same section"));
      return;
    }
    entry.value = convert(value, here, depth + 1);
    if (value.IsNull()) entry.value.place = entry.place;  // yaml-cpp has no mark for absent values
    node.entries.push_back(std::move(entry));
  }

  std::string file_;
  std::optional<ConfigLocation> all_at_;
  std::vector<ConfigIssue>& issues_;
  std::string root_;
  int values_ = 0;
  bool refused_ = false;
};

void merge(ConfigNode& base, ConfigNode over) {
  if (base.kind != ConfigNode::Kind::map || over.kind != ConfigNode::Kind::map) {
    base = std::move(over);
    return;
  }
  base.place = over.place;
  if (const ConfigNode* impl = over.find("impl")) mark_former_attributes(base, *impl);
  for (ConfigEntry& entry : over.entries) {
    const auto existing =
        std::find_if(base.entries.begin(), base.entries.end(),
                     [&](const ConfigEntry& each) { return each.key == entry.key; });
    if (existing == base.entries.end()) {
      base.entries.push_back(std::move(entry));
    } else {
      merge(existing->value, std::move(entry.value));
      existing->former_impl.clear();
    }
  }
}

std::string& shipped_configs() {
  static std::string folder;
  return folder;
}

std::string included_path(const std::string& name, const std::string& from) {
  const std::filesystem::path sibling = std::filesystem::path(from).parent_path() / name;
  std::error_code ignored;
  if (std::filesystem::exists(sibling, ignored) || shipped_configs().empty() ||
      name.find('/') != std::string::npos)
    return sibling.string();
  for (const char* form :
       {"{}", "topology.{}.yaml", "ccl.{}.yaml", "components.{}.yaml", "sweeps/{}.yaml"}) {
    const std::filesystem::path shipped =
        std::filesystem::path(shipped_configs()) / fmt::format(fmt::runtime(form), name);
    if (std::filesystem::is_regular_file(shipped, ignored)) return shipped.string();
  }
  return sibling.string();
}

// "; did you mean 'tiny'?" among the files of the folder and the shipped ones, or "".
std::string nearest_file(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path asked(path);
  std::vector<std::string> names;
  std::error_code ignored;
  const auto add = [&](const fs::path& folder, bool is_shipped) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string stem = entry.path().stem().string();
      const std::size_t family = stem.find('.');
      if (is_shipped) found.push_back(family == std::string::npos ? stem : stem.substr(family + 1));
      if (!is_shipped || family != std::string::npos)
        found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    names.insert(names.end(), found.begin(), found.end());
  };
  add(asked.parent_path().empty() ? "." : asked.parent_path(), false);
  if (!shipped_configs().empty()) {
    add(shipped_configs(), true);
    add(fs::path(shipped_configs()) / "sweeps", true);
  }
  return did_you_mean(asked.filename().string(), names);
}

// `chain`: the files being read, outermost first.
ConfigNode load_file(const std::string& path, std::vector<std::string>& chain,
                     const ConfigLocation& asked_at, std::vector<ConfigIssue>& issues) {
  std::error_code error;
  const std::string canonical = std::filesystem::weakly_canonical(path, error).string();
  if (std::find(chain.begin(), chain.end(), canonical) != chain.end()) {
    issues.push_back(issue_at(asked_at, "include",
                              quote(path) + " includes itself, directly or through other files"));
    return {};
  }
  ConfigNode node;
  try {
    const YAML::Node document = read_yaml(path);
    node = Conversion(path, std::nullopt, issues).convert(document, "");
  } catch (const YAML::BadFile&) {
    issues.push_back(issue_at(asked_at.file.empty() ? ConfigLocation{path, 0, 0} : asked_at,
                              asked_at.file.empty() ? "" : "include",
                              fmt::format("the file {} cannot be read{}", quote(path),
                                          asked_at.file.empty() ? "" : nearest_file(path))));
    return {};
  } catch (const YAML::RepresentationException& fault) {
    issues.push_back(issue_at(place_of(fault.mark, path), "", fault.msg));
    return {};
  } catch (const YAML::Exception& fault) {
    issues.push_back(
        issue_at(place_of(fault.mark, path), "", "not valid YAML: " + printable(fault.msg)));
    return {};
  }
  if (node.kind != ConfigNode::Kind::map) {
    issues.push_back(issue_at(
        {path, 1, 1}, "", fmt::format("found {}, expected keys with values", node.described())));
    return {};
  }
  const auto include =
      std::find_if(node.entries.begin(), node.entries.end(),
                   [](const ConfigEntry& entry) { return entry.key == "include"; });
  if (include == node.entries.end()) return node;
  if (include->value.kind != ConfigNode::Kind::scalar) {
    issues.push_back(issue_at(
        include->place, "include",
        fmt::format("found {}, allowed is the name of a file", include->value.described())));
    return {};
  }
  const ConfigLocation place = include->value.place;
  const std::string base_path = included_path(include->value.text, path);
  node.entries.erase(include);
  chain.push_back(canonical);
  ConfigNode base = load_file(base_path, chain, place, issues);
  chain.pop_back();
  if (base.kind != ConfigNode::Kind::map)
    return {};  // reported; without the base nearly every key would seem to be missing
  merge(base, std::move(node));
  return base;
}

}  // namespace

void set_shipped_configs(const std::string& folder) { shipped_configs() = folder; }

const ConfigNode* ConfigNode::find(const std::string& key) const {
  for (const ConfigEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

ConfigNode* ConfigNode::find(const std::string& key) {
  return const_cast<ConfigNode*>(
      static_cast<const ConfigNode*>(this)->find(key));  // NOLINT: same lookup, own object
}

std::string ConfigNode::described() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return (quoted ? "the text " : "") + quote(text);
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a section";
  }
  return "";
}

void mark_former_attributes(ConfigNode& component, const ConfigNode& new_impl) {
  const ConfigNode* impl = component.find("impl");
  ConfigNode* attrs = component.find("attrs");
  if (impl == nullptr || attrs == nullptr || impl->text == new_impl.text) return;
  for (ConfigEntry& attribute : attrs->entries) {
    const bool by_set = attribute.value.place.line == 0;  // intended for the new implementation
    if (attribute.former_impl.empty() && !by_set) attribute.former_impl = impl->text;
  }
}

ConfigIssue issue_at(const ConfigLocation& place, std::string key, std::string message) {
  return {place.file, place.line, place.column, std::move(key), std::move(message)};
}

ConfigNode parse_config_value(const std::string& text, const ConfigLocation& place,
                              const std::string& key, std::vector<ConfigIssue>& issues) {
  try {
    return Conversion("", place, issues).convert(parse_yaml(text), key);
  } catch (const YAML::Exception& error) {
    issues.push_back(issue_at(place, key, "the value is not valid YAML: " + printable(error.msg)));
    return {};
  }
}

namespace {

void add_files(const ConfigNode& node, std::vector<std::string>& files) {
  if (!node.place.file.empty() &&
      std::find(files.begin(), files.end(), node.place.file) == files.end())
    files.push_back(node.place.file);
  for (const ConfigEntry& entry : node.entries) add_files(entry.value, files);
  for (const ConfigNode& item : node.items) add_files(item, files);
}

}  // namespace

std::vector<std::string> files_of_config(const std::string& path) {
  std::vector<std::string> files{path};
  std::vector<ConfigIssue> reported_when_it_is_read;
  add_files(load_config_tree(path, reported_when_it_is_read), files);
  return files;
}

ConfigNode load_config_tree(const std::string& path, std::vector<ConfigIssue>& issues) {
  std::vector<std::string> chain;
  return load_file(path, chain, {}, issues);
}

}  // namespace kernbench
