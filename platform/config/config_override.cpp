// `--set a.b.c=value` on a configuration tree.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/config_tree.h"
#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

std::string id_of(const ConfigNode& item) {
  const ConfigNode* id = item.find("id");
  return id != nullptr && id->kind == ConfigNode::Kind::scalar ? id->text : "";
}

// Element that `step` names, by number or by id; null if there is none.
const ConfigNode* element(const ConfigNode& list, const std::string& step) {
  const bool number =
      !step.empty() && step.size() < 6 &&
      std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (number) {
    const std::size_t index = std::stoul(step);
    return index < list.items.size() ? &list.items[index] : nullptr;
  }
  for (const ConfigNode& item : list.items) {
    if (id_of(item) == step) return &item;
  }
  return nullptr;
}
ConfigNode* element(ConfigNode& list, const std::string& step) {
  return const_cast<ConfigNode*>(element(std::as_const(list), step));
}

std::string no_element(const ConfigNode& list, const std::string& step) {
  std::vector<std::string> ids;
  for (const ConfigNode& item : list.items) {
    if (!id_of(item).empty()) ids.push_back(id_of(item));
  }
  std::string message = fmt::format("the list has no element {}; it has {} element(s)", quote(step),
                                    list.items.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    message += (i == 0 ? ", ids " : ", ") + printable(ids[i]);
  return message + did_you_mean(step, ids);
}

ConfigEntry& entry_of(ConfigNode& section, const std::string& key, const ConfigLocation& place) {
  for (ConfigEntry& entry : section.entries) {
    if (entry.key == key) return entry;
  }
  section.entries.push_back({key, place, {}});
  section.entries.back().value.place = place;
  return section.entries.back();
}

std::vector<std::string> split(const std::string& key) {
  std::vector<std::string> steps(1);
  for (const char c : key) {
    if (c == '.') {
      steps.emplace_back();
    } else {
      steps.back() += c;
    }
  }
  return steps;
}

}  // namespace

const ConfigNode* ConfigNode::at(const std::string& path) const {
  const ConfigNode* node = this;
  for (const std::string& step : split(path)) {
    node = node->kind == Kind::list ? element(*node, step) : node->find(step);
    if (node == nullptr) break;
  }
  return node;
}

void apply_override(ConfigNode& root, const Override& override, std::vector<ConfigIssue>& issues) {
  const ConfigLocation place{
      fmt::format("--set {}{}={}", override.prefix, override.key, override.value), 0, 0};
  const auto fault = [&](std::string message) {
    issues.push_back(issue_at(place, override.key, std::move(message)));
  };
  const std::size_t before = issues.size();
  ConfigNode value = parse_config_value(override.value, place, override.key, issues);
  if (issues.size() > before) return;
  ConfigNode* node = &root;
  ConfigNode* section = nullptr;  // section that contains `node`
  const std::vector<std::string> steps = split(override.key);
  const std::string* last = nullptr;
  for (const std::string& step : steps) {
    if (step.empty()) return fault("an empty step in the key");
    if (node->kind == ConfigNode::Kind::list) {
      ConfigNode* item = element(*node, step);
      if (item == nullptr) return fault(no_element(*node, step));
      node = item;
      section = nullptr;
      continue;
    }
    if (node->kind == ConfigNode::Kind::scalar)
      return fault(
          fmt::format("{} is a key inside a single value, {}", quote(step), node->described()));
    node->kind =
        ConfigNode::Kind::map;  // an absent section is created here; the schema checks the key
    ConfigEntry& entry = entry_of(*node, step, place);
    entry.former_impl.clear();
    section = node;
    node = &entry.value;
    last = &step;
    if (last == &steps.back()) entry.place = place;
  }
  if (section != nullptr && *last == "impl") mark_former_attributes(*section, value);
  *node = std::move(value);
}

std::optional<std::pair<std::string, std::string>> key_and_value(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::vector<Override> overrides_of(const std::vector<std::string>& settings,
                                   const std::string& family,
                                   const std::vector<std::string>& families) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) {
    auto given = key_and_value(setting);
    if (!given) {
      throw UsageError(
          fmt::format("--set {} is not KEY=VALUE, e.g. --set system.sips.count=1", quote(setting)));
    }
    auto& [key, value] = *given;
    std::string of = "topology";
    if (const std::size_t colon = key.find(':'); colon != std::string::npos) {
      of = key.substr(0, colon);
      key.erase(0, colon + 1);
    }
    if (std::find(families.begin(), families.end(), of) == families.end()) {
      std::string prefixes;
      for (const std::string& each : families)
        prefixes += fmt::format("{}{}:",
                                prefixes.empty()          ? ""
                                : each == families.back() ? " and "
                                                          : ", ",
                                each);
      throw UsageError(
          fmt::format("--set {}: this command reads no {} file; {}{}", quote(setting), quote(of),
                      families.size() == 1 ? "the prefix is " : "prefixes are ", prefixes));
    }
    if (of == family)
      overrides.push_back({std::move(key), std::move(value), of == "topology" ? "" : of + ":"});
  }
  return overrides;
}

}  // namespace kernbench
