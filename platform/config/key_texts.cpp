#include "platform/config/key_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kernbench {
namespace {

using Kind = ConfigKey::Kind;

std::string allowed(const ConfigKey& key) {
  switch (key.kind) {
    case Kind::value:
      return key.value->allowed();
    case Kind::component:
      return fmt::format("a component with the role {}", name_of(*key.role));
    case Kind::list:
      return key.least_items == key.most_items
                 ? fmt::format("a list of {}", key.least_items)
                 : fmt::format("a list of {} to {}", key.least_items, key.most_items);
    default:
      return key.allowed();
  }
}

std::string default_value(const ConfigKey& key) {
  if (key.kind == Kind::value && key.value->default_value())
    return format_value(*key.value->default_value());
  const bool element = key.path.back() == '*';
  return element ? "" : key.required ? "required" : "optional";
}

// The path with the names of families in the place of their members.
std::string shown_path(const std::string& path,
                       const std::map<std::string, std::string>& families) {
  std::string shown, at;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    at += (at.empty() ? "" : ".") + step;
    const auto family = families.find(at);
    shown += (shown.empty() ? "" : ".") + (family == families.end() ? step : family->second);
    begin = end + 1;
  }
  return shown;
}

}  // namespace

std::vector<KeyText> key_texts(const ConfigSchema& schema) {
  std::vector<KeyText> texts;
  std::map<std::string, std::string> families;   // path of a member -> name of the family
  std::map<std::string, std::size_t> positions;  // in `texts`, by what is shown
  for (const ConfigKey& key : schema.keys()) {
    if (!key.family.empty()) families[key.path] = key.family;
    const std::string path = shown_path(key.path, families);
    const auto [shown, is_new] = positions.emplace(path, texts.size());
    if (is_new)
      texts.push_back({path, allowed(key), key.value ? key.value->unit() : "", default_value(key),
                       key.family.empty() ? key.description : key.family + " is one of"});
    if (!key.family.empty())
      texts[shown->second].meaning +=
          (is_new ? " " : ", ") + key.path.substr(key.path.rfind('.') + 1);
  }
  return texts;
}

}  // namespace kernbench
