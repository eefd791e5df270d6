#include "platform/topology/instance_overrides.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "models/base/quote.h"
#include "platform/config/component_resolver.h"
#include "platform/config/machine_sizes.h"
#include "platform/config/nearest_name.h"
#include "platform/topology/build_graph.h"

namespace kernbench {
namespace {

constexpr const char* any_steps = "**";

std::vector<std::string> steps_of(std::string_view name) {
  std::vector<std::string> steps(1);
  for (const char c : name) {
    if (c == '.') {
      steps.emplace_back();
    } else {
      steps.back() += c;
    }
  }
  return steps;
}

using Step = std::vector<std::string>::const_iterator;

bool match(Step pattern, Step pattern_end, Step name, Step name_end) {
  for (; pattern != pattern_end; ++pattern, ++name) {
    if (*pattern == any_steps) {
      while (pattern != pattern_end && *pattern == any_steps) ++pattern;
      for (; name != name_end; ++name) {
        if (match(pattern, pattern_end, name, name_end)) return true;
      }
      return pattern == pattern_end;
    }
    if (name == name_end || ::fnmatch(pattern->c_str(), name->c_str(), FNM_NOESCAPE) != 0)
      return false;
  }
  return name == name_end;
}

}  // namespace

NodeGlob::NodeGlob(const std::string& pattern)
    : pattern_(pattern), literal_(pattern.substr(0, pattern.find_first_of("*?["))),
      steps_(steps_of(pattern)) {
  // `**` may match nothing, and then neither does the dot before it.
  const bool may_end_here = pattern_.compare(literal_.size(), 2, any_steps) == 0;
  if (may_end_here && !literal_.empty() && literal_.back() == '.') literal_.pop_back();
}

bool NodeGlob::matches(std::string_view name) const {
  if (is_literal()) return name == pattern_;
  const std::vector<std::string> steps = steps_of(name);
  return match(steps_.begin(), steps_.end(), steps.begin(), steps.end());
}

namespace {

class Overrides {
 public:
  Overrides(MachineSpec& machine, std::vector<Node> nodes, const ComponentRegistry& registry,
            MachineFaults& faults)
      : machine_(machine), registry_(registry), faults_(faults), resolver_(machine, faults),
        rows_(rows_of_components(machine)) {
    for (Node& node : nodes) instances_.push_back({std::move(node), nullptr, 0});
    std::sort(instances_.begin(), instances_.end(),
              [](const Instance& a, const Instance& b) { return a.node.name < b.node.name; });
  }

  void all() {
    for (std::size_t i = 0; i < machine_.overrides.size(); ++i) apply(i);
    check_sizes();
    if (!faults_.none()) return;
    for (const Instance& instance : instances_) {
      if (instance.own != nullptr) machine_.instances[instance.node.name] = instance.own;
    }
  }

 private:
  struct Instance {
    Node node;                                 // with the component of its kind
    std::shared_ptr<const ComponentSpec> own;  // null: the component of the kind
    std::size_t override = 0;                  // override that created it, the last one

    const ComponentSpec& component() const { return own == nullptr ? *node.component : *own; }
  };

  void apply(std::size_t index) {
    const OverrideSpec& entry = machine_.overrides[index];
    const std::string key = faults_.section_of(entry.match);
    if (entry.impl.empty() && entry.attributes.empty())
      return faults_.add_at(key, "found neither impl nor attrs; allowed is one of them, or both");
    std::map<const ComponentSpec*, std::shared_ptr<const ComponentSpec>> made;
    bool any = false;
    for (Instance* instance : matched(entry)) {
      any = true;
      const ComponentSpec* before = &instance->component();
      if (made.find(before) == made.end()) {
        made[before] = changed(*instance, entry, key);
        if (instance->own != nullptr)
          kept_.push_back(instance->own);  // `made` is keyed by its address
      }
      if (made[before] == nullptr) continue;  // already reported
      instance->own = made[before];
      instance->override = index;
    }
    if (!any) no_match(entry);
  }

  std::vector<Instance*> matched(const OverrideSpec& entry) {
    const NodeGlob glob(entry.match);
    std::vector<Instance*> found;
    const std::string& prefix = glob.literal_prefix();
    auto at = std::lower_bound(
        instances_.begin(), instances_.end(), prefix,
        [](const Instance& each, const std::string& name) { return each.node.name < name; });
    for (; at != instances_.end() && at->node.name.compare(0, prefix.size(), prefix) == 0; ++at) {
      if (!entry.kind.empty() && name_of(at->node.kind) != entry.kind) continue;
      if (glob.matches(at->node.name)) found.push_back(&*at);
      if (glob.is_literal()) break;
    }
    return found;
  }

  void no_match(const OverrideSpec& entry) {
    const NodeGlob glob(entry.match);
    std::vector<std::string> names;
    std::string other_kind;
    for (const Instance& each : instances_) {
      if (entry.kind.empty() || name_of(each.node.kind) == entry.kind)
        names.push_back(each.node.name);
      if (other_kind.empty() && glob.matches(each.node.name))
        other_kind = fmt::format("; {} is a {}", each.node.name, name_of(each.node.kind));
    }
    const std::string of_kind = entry.kind.empty() ? "" : fmt::format(" of kind {}", entry.kind);
    faults_.add(
        entry.match,
        fmt::format("found {}, which matches no node{} of this machine{}{}{}", quote(entry.match),
                    of_kind, other_kind, nearest_names(entry.match, names),
                    glob.is_literal() ? ""
                                      : "; * stays within one step of a name, ** matches "
                                        "any number of steps"));
  }
  static std::string nearest_names(const std::string& pattern, std::vector<std::string> names) {
    std::string nearest;
    for (int i = 0; i < 3; ++i) {
      const std::string name = nearest_name(pattern, names);
      if (name.empty()) break;
      nearest += (nearest.empty() ? "; nearest: " : ", ") + name;
      names.erase(std::find(names.begin(), names.end(), name));
    }
    return nearest;
  }

  // Null: faulty, and already reported.
  std::shared_ptr<const ComponentSpec> changed(const Instance& instance, const OverrideSpec& spec,
                                               const std::string& key) {
    const ComponentSpec& before = instance.component();
    std::vector<ConfigIssue> issues;
    const ComponentEntry entry = entry_for(instance, spec, key, issues);
    const Implementation* former = registry_.find(before.impl);
    std::shared_ptr<const ComponentSpec> made;
    if (entry.implementation != nullptr) {
      const bool stays = former != nullptr && former->factory == entry.implementation->factory;
      made = std::make_shared<const ComponentSpec>(
          stays ? resolver_.with_given(before, entry, issues)
                : resolver_.resolve(entry, rows_.at(instance.node.component), issues));
    }
    for (ConfigIssue& issue : issues) {
      issue.message = fmt::format("{}: {}", instance.node.name, issue.message);
      faults_.add(issue);
    }
    return issues.empty() ? made : nullptr;
  }

  ComponentEntry entry_for(const Instance& instance, const OverrideSpec& spec,
                           const std::string& key, std::vector<ConfigIssue>& issues) const {
    ComponentEntry entry;
    entry.path = key;
    entry.place = faults_.config().place(key);
    if (spec.impl.empty()) {
      entry.implementation = registry_.find(instance.component().impl);
    } else {
      ConfigNode impl;
      impl.kind = ConfigNode::Kind::scalar;
      impl.text = spec.impl;
      impl.place = faults_.config().place(key + ".impl");
      entry.implementation =
          find_implementation(impl, key, declared_role(instance.node.kind), registry_, issues);
    }
    const ConfigNode* attrs = faults_.config().attributes(key + ".attrs");
    if (attrs == nullptr || entry.implementation == nullptr) return entry;
    ConfigNode given = *attrs;
    given.entries.erase(
        std::remove_if(given.entries.begin(), given.entries.end(),
                       [](const ConfigEntry& each) { return !each.former_impl.empty(); }),
        given.entries.end());
    check_attributes(given, registry_, entry, issues);
    return entry;
  }

  // Runs once per component shared by instances.
  void check_sizes() {
    const ComponentSpec* last = nullptr;
    for (const Instance& instance : instances_) {
      if (instance.own == nullptr || instance.own.get() == last) continue;
      last = instance.own.get();
      if (!checked_.insert(last).second) continue;
      const std::optional<SizeFault> fault =
          instance_size_fault(machine_, instance.node.kind, *instance.own);
      if (!fault) continue;
      const std::string key = faults_.section_of(machine_.overrides[instance.override].match);
      const std::string attribute = key + ".attrs." + fault->attribute;
      faults_.add_at(instance.own->attributes.has(fault->attribute) ? attribute : key + ".impl",
                     fmt::format("{}: {}", instance.node.name, fault->message));
    }
  }

  MachineSpec& machine_;
  const ComponentRegistry& registry_;
  MachineFaults& faults_;
  ComponentResolver resolver_;
  std::map<const ComponentSpec*, ComponentRow> rows_;
  std::vector<Instance> instances_;  // by name
  std::vector<std::shared_ptr<const ComponentSpec>> kept_;
  std::set<const ComponentSpec*> checked_;
};

}  // namespace

void apply_overrides(MachineSpec& machine, const ComponentRegistry& registry,
                     MachineFaults& faults) {
  if (machine.overrides.empty() || !faults.none()) return;
  try {
    Overrides(machine, nodes_of(machine), registry, faults).all();
  } catch (const std::overflow_error&) {  // lengths that overflow: build_graph reports them
  }
}

}  // namespace kernbench
