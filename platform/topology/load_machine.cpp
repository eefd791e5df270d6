#include "platform/topology/load_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>

#include "models/base/quote.h"
#include "platform/config/config_tree.h"
#include "platform/config/machine_keys.h"
#include "platform/config/machine_reader.h"
#include "platform/config/machine_sizes.h"
#include "platform/topology/instance_overrides.h"

namespace kernbench {
namespace {

// `--set` on single instances: NODE.impl=NAME, NODE.attrs.KEY=VALUE, NODE.attrs={...}, where NODE
// is a name or a pattern of names ("sip0.cube3.pe2.pe_gemm", "sip0.cube3.**.pe_gemm").

constexpr const char* list_key = "overrides";

// "sip0.cube3.pe2.pe_gemm.attrs.x" -> node, key below the entry.
struct SettingParts {
  std::string node, key;
};

std::optional<SettingParts> setting_parts(const std::string& key) {
  const auto split_at = [&](std::size_t dot) {
    return SettingParts{key.substr(0, dot), key.substr(dot + 1)};
  };
  const std::size_t last = key.rfind('.');
  if (last == std::string::npos || last == 0) return std::nullopt;
  const std::string leaf = key.substr(last + 1);
  if (leaf == "impl" || leaf == "attrs") return split_at(last);
  const std::size_t before = key.rfind('.', last - 1);
  if (before == std::string::npos || key.compare(before, last - before, ".attrs") != 0)
    return std::nullopt;
  return split_at(before);
}

ConfigNode scalar(const std::string& text, const ConfigLocation& place) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::scalar;
  node.text = text;
  node.place = place;
  return node;
}

bool is_of_setting(const ConfigNode& entry, const std::string& node) {
  const ConfigNode* match = entry.find("match");
  return entry.place.line == 0 && match != nullptr && match->text == node &&
         entry.find("kind") == nullptr;
}

// Entry with the settings of `node`, a new one if there is none.
std::size_t entry_of_node(ConfigNode& list, const std::string& node, const ConfigLocation& place) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (is_of_setting(list.items[i], node)) return i;
  }
  ConfigNode& entry = list.items.emplace_back();
  entry.kind = ConfigNode::Kind::map;
  entry.place = place;
  entry.entries.push_back({"match", place, scalar(node, place)});
  return list.items.size() - 1;
}

// True if the key begins like the name of a node or a pattern of names, as no key of topology.yaml
// does.
bool is_instance_setting(const Override& setting) {
  const std::string step = setting.key.substr(0, setting.key.find('.'));
  if (step == "fabric") return true;
  if (step.find_first_of("*?[") != std::string::npos) return true;
  return step.size() > 3 && step.compare(0, 3, "sip") == 0 &&
         std::isdigit(static_cast<unsigned char>(step[3])) != 0;
}

// Adds an entry to the list `overrides` of the tree; settings of one NODE share an entry.
void apply_instance_setting(ConfigNode& root, const Override& setting,
                            std::vector<ConfigIssue>& issues) {
  const ConfigLocation place{fmt::format("--set {}={}", setting.key, setting.value), 0, 0};
  const std::optional<SettingParts> parts = setting_parts(setting.key);
  if (!parts) {
    issues.push_back(issue_at(place, setting.key,
                              "found the name of an instance; allowed after it are .impl, "
                              ".attrs.KEY and .attrs"));
    return;
  }
  ConfigNode* list = root.find(list_key);
  if (list == nullptr) {
    root.entries.push_back({list_key, place, {}});
    list = &root.entries.back().value;
    list->place = place;
  }
  if (list->kind == ConfigNode::Kind::null) list->kind = ConfigNode::Kind::list;
  if (list->kind != ConfigNode::Kind::list) return;  // the schema reports it
  const std::size_t entry = entry_of_node(*list, parts->node, place);
  apply_override(list->items[entry], {parts->key, setting.value, parts->node + "."}, issues);
}

// Faults of such an entry are those of NODE, as the user wrote it, not of the list.
void name_instances(const ConfigNode& root, std::vector<ConfigIssue>& issues) {
  const ConfigNode* list = root.find(list_key);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const ConfigNode* match = list->items[i].find("match");
    if (match == nullptr || !is_of_setting(list->items[i], match->text)) continue;
    const std::string& node = match->text;
    if (list->items[i].place.file.rfind("--set " + node + ".", 0) != 0) continue;
    const std::string key = fmt::format("{}.{}", list_key, i);
    for (ConfigIssue& issue : issues) {
      if (issue.key != key && issue.key.rfind(key + ".", 0) != 0) continue;
      const std::string rest = issue.key.substr(key.size());
      issue.key = node + (rest == ".match" ? "" : rest);
      if (issue.message.rfind(node + ": ", 0) == 0) issue.message.erase(0, node.size() + 2);
    }
  }
}

// The file with the overrides applied.
ConfigNode tree_of(const std::string& path, const std::vector<Override>& overrides,
                   std::vector<ConfigIssue>& issues) {
  ConfigNode root = load_config_tree(path, issues);
  if (root.kind != ConfigNode::Kind::map)
    throw ConfigError(std::move(issues));  // nothing was read: faults of overrides would mislead
  for (const Override& override : overrides) {
    if (is_instance_setting(override)) {
      apply_instance_setting(root, override, issues);
    } else {
      apply_override(root, override, issues);
    }
  }
  return root;
}

}  // namespace

std::vector<ConfigIssue> setting_issues(const std::string& path,
                                        const std::vector<Override>& overrides,
                                        const ComponentRegistry& registry) {
  std::vector<ConfigIssue> issues;
  const ConfigNode root = tree_of(path, overrides, issues);
  check_config(root, machine_schema(), &registry, issues);
  name_instances(root, issues);
  return issues;
}

MachineSpec load_machine(const std::string& path, const std::vector<Override>& overrides,
                         const ComponentRegistry& registry) {
  std::vector<ConfigIssue> issues;
  const ConfigNode root = tree_of(path, overrides, issues);

  const ResolvedConfig config = check_config(root, machine_schema(), &registry, issues);
  MachineSpec machine = read_machine(config);
  MachineFaults faults(machine, config, issues);
  check_machine(machine, faults);
  check_layout(machine, faults);
  resolve_components(machine, faults);
  check_sizes(machine, faults);
  place_tlm_targets(machine, faults);
  apply_overrides(machine, registry, faults);
  if (!issues.empty()) {
    name_instances(root, issues);
    std::stable_sort(issues.begin(), issues.end(), [](const ConfigIssue& a, const ConfigIssue& b) {
      return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    throw ConfigError(std::move(issues));
  }
  machine.source_path = path;
  return machine;
}

}  // namespace kernbench
