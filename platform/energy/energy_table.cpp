#include "platform/energy/energy_table.h"

#include <fmt/format.h>

#include "platform/topology/graph.h"

namespace kernbench {
namespace {

using Kind = ConfigKey::Kind;

constexpr const char* origin = "spec 11.8";

Parameter number(const char* name, const char* description, const char* unit) {
  return Parameter::decimal(name, description, unit, origin).range("0", "1000000000");
}

// Keys of an entry.
void add_entry_keys(std::vector<ConfigKey>& keys, const std::string& path) {
  const auto add_text = [&](const char* name, const char* description) {
    keys.push_back(ConfigKey::of(Kind::text, fmt::format("{}.{}", path, name), description, false));
  };
  for (Parameter& value : std::vector<Parameter>{
           number("pj", "energy of one action", "pJ"),
           number("pj_per_bit", "of an action that is a byte: energy of a bit", "pJ"),
           number("w", "of static: power of one component or link", "W")}) {
    std::string key = fmt::format("{}.{}", path, value.name());
    keys.push_back(ConfigKey::of_value(std::move(key), std::move(value), false));
  }
  add_text("process", "technology of the value, for readers");
  add_text("source", "origin of the value; default: assumption");
}

void add_kind(std::vector<ConfigKey>& keys, const char* section, std::string_view kind,
              const char* family) {
  const std::string path = fmt::format("{}.{}", section, kind);
  keys.push_back(ConfigKey::of(Kind::section, path, "actions", false));
  keys.back().family = family;
  keys.push_back(ConfigKey::of(Kind::section, path + ".*", "an action, or static"));
  add_entry_keys(keys, path + ".*");
}

std::vector<std::string> link_kinds() {
  std::vector<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(EdgeKind::router_to_tlm); ++kind)
    names.emplace_back(name_of(static_cast<EdgeKind>(kind)));
  return names;
}

// Entry at `path`, of the action `action`.
class EntryReader {
 public:
  EntryReader(const ResolvedConfig& config, std::string path, std::vector<ConfigIssue>& issues)
      : config_(config), path_(std::move(path)), issues_(issues) {}

  EnergyEntry read(bool is_static) {
    EnergyEntry entry;
    entry.key = path_;
    entry.place = config_.place(path_);
    const Rational *pj = number("pj"), *pj_per_bit = number("pj_per_bit"), *w = number("w");
    if (is_static) {
      if (w == nullptr || pj != nullptr || pj_per_bit != nullptr)
        fault(found_values() + "allowed is one value, w: the static power");
      if (w != nullptr) entry.w = w->to_double();
    } else {
      if (w != nullptr || (pj == nullptr) == (pj_per_bit == nullptr))
        fault(found_values() + "allowed is one value, pj or pj_per_bit");
      if (pj != nullptr) entry.pj = pj->to_double();
      if (pj_per_bit != nullptr) {
        entry.pj_per_bit = pj_per_bit->to_double();
        entry.pj = 8 * *entry.pj_per_bit;
      }
    }
    entry.process = text("process", "");
    entry.source = text("source", "assumption");
    return entry;
  }

 private:
  std::string key(const char* name) const { return fmt::format("{}.{}", path_, name); }
  const Rational* number(const char* name) const { return config_.number(key(name)); }
  std::string text(const char* name, const char* otherwise) const {
    const std::string* text = config_.text(key(name));
    return text == nullptr ? otherwise : *text;
  }
  std::string found_values() const {
    std::string names;
    for (const char* name : {"pj", "pj_per_bit", "w"}) {
      if (number(name) != nullptr) names += (names.empty() ? "" : " and ") + std::string(name);
    }
    return fmt::format("found {}, ", names.empty() ? "no value" : names);
  }
  void fault(const std::string& message) {
    issues_.push_back(issue_at(config_.place(path_), path_, message));
  }

  const ResolvedConfig& config_;
  std::string path_;
  std::vector<ConfigIssue>& issues_;
};

}  // namespace

const EnergyEntry* EnergyTable::find(const EnergyKind& kind, const std::string& action) const {
  const auto actions = entries_.find(kind);
  if (actions == entries_.end()) return nullptr;
  const auto found = actions->second.find(action);
  return found == actions->second.end() ? nullptr : &found->second;
}

ConfigSchema energy_schema() {
  std::vector<ConfigKey> keys{
      ConfigKey::of(Kind::section, "components", "kind of component -> its actions", false)};
  for (const RoleInfo& role : role_table) add_kind(keys, "components", role.name, "KIND");
  keys.push_back(ConfigKey::of(Kind::section, "links", "kind of link -> its actions", false));
  for (const std::string& kind : link_kinds()) add_kind(keys, "links", kind, "LINK_KIND");
  return ConfigSchema(std::move(keys));
}

EnergyTable load_energy_table(const std::string& path, const std::vector<Override>& overrides) {
  std::vector<ConfigIssue> issues;
  ConfigNode root = load_config_tree(path, issues);
  if (root.kind != ConfigNode::Kind::map) throw ConfigError(std::move(issues));
  for (const Override& override : overrides) apply_override(root, override, issues);
  const ResolvedConfig config = check_config(root, energy_schema(), nullptr, issues);
  if (!issues.empty()) throw ConfigError(std::move(issues));

  EnergyTable table;
  table.path_ = path;
  const auto read = [&](const char* section, const std::string& name, bool is_link) {
    const std::string kind = fmt::format("{}.{}", section, name);
    for (const std::string& action : config.keys(kind)) {
      EntryReader reader(config, fmt::format("{}.{}", kind, action), issues);
      table.entries_[{is_link, name}][action] = reader.read(action == EnergyTable::static_power);
    }
  };
  for (const RoleInfo& role : role_table) read("components", std::string(role.name), false);
  for (const std::string& kind : link_kinds()) read("links", kind, true);
  if (!issues.empty()) throw ConfigError(std::move(issues));
  return table;
}

}  // namespace kernbench
