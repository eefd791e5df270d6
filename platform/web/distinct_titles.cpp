#include "platform/web/distinct_titles.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "platform/config/config_tree.h"

namespace kernbench {
namespace {

constexpr std::size_t most_shown_keys = 2, most_value_length = 24;

std::vector<std::string> numbered(std::vector<std::string> titles) {
  std::set<std::string> taken;
  for (std::string& title : titles) {
    std::string candidate = title;
    for (int number = 2; !taken.insert(candidate).second; ++number)
      candidate = fmt::format("{} ({})", title, number);
    title = std::move(candidate);
  }
  return titles;
}

std::vector<std::string> path_parts(const std::string& path) {
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::absolute(path).lexically_normal())
    parts.push_back(part.string());
  return parts;
}

// Number of equal parts at the ends of two paths.
std::size_t equal_parts(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t count = 0;
  while (count < std::min(a.size(), b.size()) && a[a.size() - 1 - count] == b[b.size() - 1 - count])
    ++count;
  return count;
}

using KeysAndValues = std::vector<std::pair<std::string, std::string>>;  // in file order

void add_values(const ConfigNode& node, const std::string& path, KeysAndValues& into) {
  if (node.kind == ConfigNode::Kind::scalar) into.emplace_back(path, node.text);
  for (const ConfigEntry& entry : node.entries) {
    const bool is_named = entry.key != "attrs" && entry.key != "components";
    add_values(entry.value, is_named ? path + '.' + entry.key : path, into);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const ConfigNode* const id = node.items[i].find("id");
    add_values(node.items[i], path + '.' + (id == nullptr ? std::to_string(i) : id->text), into);
  }
}

KeysAndValues values_of(const std::string& configuration) {
  std::vector<ConfigIssue> ignored;
  KeysAndValues values;
  add_values(parse_config_value(configuration, {}, "", ignored), "", values);
  return values;
}

// Last two parts of a key.
std::string short_key(const std::string& key) {
  const std::size_t last = key.rfind('.');
  const std::size_t dot = last == std::string::npos || last == 0 ? last : key.rfind('.', last - 1);
  return dot == std::string::npos ? key : key.substr(dot + 1);
}

// Values of `own` that `first` has otherwise or not at all, then keys that only `first` has.
std::string difference_of(const KeysAndValues& first, const KeysAndValues& own) {
  const std::map<std::string, std::string> in_first(first.begin(), first.end()),
      in_own(own.begin(), own.end());
  std::vector<std::string> shown;
  for (const auto& [key, value] : own) {
    const auto found = in_first.find(key);
    if (found != in_first.end() && found->second == value) continue;
    shown.push_back(
        short_key(key) + '=' +
        (value.size() > most_value_length ? value.substr(0, most_value_length) + "..." : value));
  }
  for (const auto& [key, value] : first)
    if (in_own.count(key) == 0) shown.push_back("no " + short_key(key));
  std::string text;
  for (std::size_t i = 0; i < std::min(shown.size(), most_shown_keys); ++i) text += ", " + shown[i];
  return shown.size() > most_shown_keys ? text + ", ..." : text;
}

}  // namespace

std::vector<std::string> distinct_titles(const std::vector<TitledFile>& files) {
  std::vector<std::string> titles;
  for (const TitledFile& file : files) {
    std::size_t equal = 0;
    const std::vector<std::string> parts = path_parts(file.path);
    for (const TitledFile& other : files)
      if (&other != &file && other.title == file.title && parts.back() == file.title)
        equal = std::max(equal, equal_parts(parts, path_parts(other.path)));
    titles.push_back(file.title);
    if (equal == 0 || equal >= parts.size()) continue;
    titles.back() = parts[parts.size() - 1 - equal] + (equal > 1 ? "/.../" : "/") + file.title;
  }
  return numbered(std::move(titles));
}

std::vector<std::string> distinct_titles(const std::vector<TitledConfiguration>& machines) {
  std::vector<std::string> titles;
  std::map<std::string, KeysAndValues> first;  // by title
  for (const TitledConfiguration& machine : machines) {
    titles.push_back(machine.title);
    const bool is_alone = std::count_if(machines.begin(), machines.end(), [&](const auto& other) {
                            return other.title == machine.title;
                          }) == 1;
    if (is_alone) continue;
    KeysAndValues values = values_of(machine.configuration);
    const auto [found, is_first] = first.try_emplace(machine.title);
    if (is_first) {
      found->second = std::move(values);
    } else {
      titles.back() += difference_of(found->second, values);
    }
  }
  return numbered(std::move(titles));
}

}  // namespace kernbench
