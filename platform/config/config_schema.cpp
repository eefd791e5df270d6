#include "platform/config/config_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

std::string parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string joined(const std::string& path, const std::string& step) {
  return path.empty() ? step : path + '.' + step;
}

constexpr std::size_t longest_name = 64;

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= longest_name &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

}  // namespace

ConfigKey ConfigKey::of(Kind kind, std::string path, std::string description, bool required) {
  ConfigKey key;
  key.path = std::move(path);
  key.kind = kind;
  key.description = std::move(description);
  key.required = required;
  return key;
}

ConfigKey ConfigKey::of_list(std::string path, std::string description, std::size_t least,
                             std::size_t most, bool required) {
  ConfigKey key = of(Kind::list, std::move(path), std::move(description), required);
  key.least_items = least;
  key.most_items = most;
  return key;
}

ConfigKey ConfigKey::of_value(std::string path, Parameter parameter, bool required) {
  ConfigKey key = of(Kind::value, std::move(path), parameter.description(),
                     required && !parameter.default_value());
  key.value = std::move(parameter);
  return key;
}

ConfigKey ConfigKey::of_component(std::string path, std::string description, Role role,
                                  bool required) {
  ConfigKey key = of(Kind::component, std::move(path), std::move(description), required);
  key.role = role;
  return key;
}

std::string ConfigKey::allowed() const {
  switch (kind) {
    case Kind::section:
      return "a section";
    case Kind::list:
      return "a list";
    case Kind::value:
      return value->allowed() + (value->unit().empty() ? "" : fmt::format(" ({})", value->unit()));
    case Kind::name:
      return fmt::format("a name of at most {} letters, digits, '_' and '-'", longest_name);
    case Kind::text:
      return "a text";
    case Kind::component:
      return "{impl: NAME, attrs: {...}}";
    case Kind::attributes:
      return "a section of attributes";
  }
  return "";
}

ConfigSchema::ConfigSchema(std::vector<ConfigKey> keys) : keys_(std::move(keys)) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    index_[keys_[i].path] = i;
    children_[parent_of(keys_[i].path)].push_back(i);
  }
}

const ConfigKey* ConfigSchema::find(const std::string& pattern) const {
  const auto found = index_.find(pattern);
  return found == index_.end() ? nullptr : &keys_[found->second];
}

std::vector<const ConfigKey*> ConfigSchema::below(const std::string& pattern) const {
  std::vector<const ConfigKey*> all;
  const auto found = children_.find(pattern);
  if (found == children_.end()) return all;
  for (const std::size_t i : found->second) all.push_back(&keys_[i]);
  return all;
}

class SchemaCheck {
 public:
  SchemaCheck(const ConfigSchema& schema, const ComponentRegistry* registry,
              std::vector<ConfigIssue>& issues)
      : schema_(schema), registry_(registry), issues_(issues) {}

  ResolvedConfig run(const ConfigNode& root) {
    section(root, "", "");
    return std::move(resolved_);
  }

 private:
  void fault(const ConfigLocation& place, const std::string& path, std::string message) {
    issues_.push_back(issue_at(place, path, std::move(message)));
  }

  void section(const ConfigNode& node, const std::string& pattern, const std::string& path) {
    const std::vector<const ConfigKey*> keys = schema_.below(pattern);
    const bool free_keys = keys.size() == 1 && last_of(keys[0]->path) == "*";
    if (free_keys) {
      for (const ConfigEntry& entry : node.entries) {
        resolved_.free_keys_[path].push_back(entry.key);
        resolved_.places_[joined(path, entry.key)] = entry.value.place;
        check(entry.value, *keys[0], joined(path, entry.key));
      }
      return;
    }
    std::vector<std::string> known;
    for (const ConfigKey* key : keys) known.push_back(last_of(key->path));
    for (const ConfigEntry& entry : node.entries) {
      const std::string here = joined(path, entry.key);
      const auto found = std::find(known.begin(), known.end(), entry.key);
      if (found == known.end()) {
        fault(entry.place, here,
              fmt::format("unknown key{}; known here: {}", did_you_mean(entry.key, known),
                          listed(known, "nothing")));
        continue;
      }
      resolved_.places_[here] =
          entry.value
              .place;  // place of the value: the key may be in a base that another file changes
      check(entry.value, *keys[static_cast<std::size_t>(found - known.begin())], here);
    }
    for (const ConfigKey* key : keys) {
      if (node.find(last_of(key->path)) == nullptr)
        absent(*key, joined(path, last_of(key->path)), node.place);
    }
  }

  void absent(const ConfigKey& key, const std::string& path, const ConfigLocation& around) {
    if (key.kind == ConfigKey::Kind::value && key.value->default_value()) {
      resolved_.values_[path] = *key.value->default_value();
      resolved_.places_[path] = around;
    } else if (key.required) {
      fault(around, path, "the key is missing; allowed is " + key.allowed());
    } else if (key.kind == ConfigKey::Kind::section) {
      ConfigNode empty;
      empty.kind = ConfigNode::Kind::map;
      empty.place = around;
      section(empty, key.path, path);
    }
  }

  void check(const ConfigNode& node, const ConfigKey& key, const std::string& path) {
    using Kind = ConfigNode::Kind;
    const bool container =
        key.kind == ConfigKey::Kind::section || key.kind == ConfigKey::Kind::list;
    const Kind expected = key.kind == ConfigKey::Kind::list ? Kind::list
                          : container || key.kind == ConfigKey::Kind::component ||
                                  key.kind == ConfigKey::Kind::attributes
                              ? Kind::map
                              : Kind::scalar;
    if (node.kind != expected &&
        !((container || key.kind == ConfigKey::Kind::attributes) &&
          node.kind == Kind::null)) {  // `links:` without content is an empty section
      fault(node.place, path,
            fmt::format("found {}, allowed is {}", node.described(), key.allowed()));
      return;
    }
    switch (key.kind) {
      case ConfigKey::Kind::section:
        section(node, key.path, path);
        break;
      case ConfigKey::Kind::list:
        elements(node, key, path);
        break;
      case ConfigKey::Kind::value:
        value(node, key, path);
        break;
      case ConfigKey::Kind::name:
        if (!is_name(node.text))
          return fault(node.place, path,
                       fmt::format("found {}, allowed is {}", node.described(), key.allowed()));
        resolved_.values_[path] = node.text;
        break;
      case ConfigKey::Kind::text:
        resolved_.values_[path] = node.text;
        break;
      case ConfigKey::Kind::component:
        if (registry_ != nullptr)
          resolved_.components_[path] = check_component(node, path, *key.role, *registry_, issues_);
        break;
      case ConfigKey::Kind::attributes:
        resolved_.attributes_[path] = node;
        break;
    }
  }

  void elements(const ConfigNode& node, const ConfigKey& key, const std::string& path) {
    if (node.items.size() < key.least_items || node.items.size() > key.most_items) {
      const std::string range = key.least_items == key.most_items
                                    ? std::to_string(key.least_items)
                                    : fmt::format("{} to {}", key.least_items, key.most_items);
      fault(node.place, path,
            fmt::format("found a list of {}, allowed are {} elements", node.items.size(), range));
      return;
    }
    resolved_.lists_[path] = node.items.size();
    const ConfigKey* element = schema_.find(key.path + ".*");
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string here = joined(path, std::to_string(i));
      resolved_.places_[here] = node.items[i].place;
      check(node.items[i], *element, here);
    }
  }

  void value(const ConfigNode& node, const ConfigKey& key, const std::string& path) {
    if (node.quoted && !key.value->is_text()) {
      return fault(node.place, path,
                   fmt::format("found {}, allowed is {}", node.described(), key.allowed()));
    }
    try {
      resolved_.values_[path] = key.value->parse(node.text);
    } catch (const std::exception& error) {  // invalid_argument, or overflow of an absurd number
      const std::string unit =
          key.value->unit().empty() ? "" : fmt::format(" ({})", key.value->unit());
      fault(node.place, path, error.what() + unit + did_you_mean(node.text, key.value->choices()));
    }
  }

  const ConfigSchema& schema_;
  const ComponentRegistry* registry_;
  std::vector<ConfigIssue>& issues_;
  ResolvedConfig resolved_;
};

ResolvedConfig check_config(const ConfigNode& root, const ConfigSchema& schema,
                            const ComponentRegistry* registry, std::vector<ConfigIssue>& issues) {
  return SchemaCheck(schema, registry, issues).run(root);
}

const ParameterValue* ResolvedConfig::value(const std::string& path) const {
  const auto found = values_.find(path);
  return found == values_.end() ? nullptr : &found->second;
}

const Rational* ResolvedConfig::number(const std::string& path) const {
  return std::get_if<Rational>(value(path));
}

const std::string* ResolvedConfig::text(const std::string& path) const {
  return std::get_if<std::string>(value(path));
}

std::size_t ResolvedConfig::items(const std::string& path) const {
  const auto found = lists_.find(path);
  return found == lists_.end() ? 0 : found->second;
}

std::vector<std::string> ResolvedConfig::keys(const std::string& path) const {
  const auto found = free_keys_.find(path);
  return found == free_keys_.end() ? std::vector<std::string>{} : found->second;
}

const ComponentEntry* ResolvedConfig::component(const std::string& path) const {
  const auto found = components_.find(path);
  return found == components_.end() ? nullptr : &found->second;
}

const ConfigNode* ResolvedConfig::attributes(const std::string& path) const {
  const auto found = attributes_.find(path);
  return found == attributes_.end() ? nullptr : &found->second;
}

ConfigLocation ComponentEntry::place_of(const std::string& attribute) const {
  const auto found = given_at.find(attribute);
  return found == given_at.end() ? place : found->second;
}

namespace {

bool names(const std::string& text, const std::string& word) {
  const auto in_word = [&text](std::size_t at) {
    return at < text.size() &&
           (text[at] == '_' || std::isalnum(static_cast<unsigned char>(text[at])) != 0);
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + word.size())) return true;
  }
  return false;
}

}  // namespace

ConfigLocation ComponentEntry::place_of(const ParameterFault& fault) const {
  const ConfigLocation* in_file = nullptr;
  const auto own = given_at.find(fault.parameter);
  if (own != given_at.end()) {
    if (own->second.line == 0) return own->second;
    in_file = &own->second;
  }
  for (const auto& [attribute, at] : given_at) {
    if (!names(fault.message, attribute)) continue;
    if (at.line == 0) return at;
    if (in_file == nullptr) in_file = &at;
  }
  return in_file == nullptr ? place : *in_file;
}

ConfigLocation ResolvedConfig::place(const std::string& path) const {
  for (std::string at = path; !at.empty(); at = parent_of(at)) {
    const auto found = places_.find(at);
    if (found != places_.end()) return found->second;
  }
  return {};
}

}  // namespace kernbench
