#include "platform/export/trace_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_root.h"
#include "platform/config/glob.h"

namespace kernbench {
namespace {

bool takes(const std::string& pattern, const std::string& component, const std::string& signal) {
  return glob_matches(pattern, fmt::format("{}.{}", component, signal)) ||
         glob_matches_scope(pattern, component);
}

// Name of a signal that may appear in the course of the run; `number` replaces its {i}.
std::string name_when_used(const std::string& component, const SignalDeclaration& later,
                           int number) {
  std::string name = later.name;
  if (const std::size_t at = name.find("{i}"); at != std::string::npos)
    name.replace(at, 3, std::to_string(number));
  return fmt::format("{}.{}", component, name);
}

bool may_take(const std::string& pattern, const std::string& component,
              const SignalDeclaration& later) {
  constexpr int numbers = 64;
  for (int number = 0; number < numbers; ++number) {
    if (glob_matches(pattern, name_when_used(component, later, number))) return true;
  }
  return glob_matches_scope(pattern, component);
}

bool takes_any(const std::string& pattern, Component& component) {
  const std::string name = name_in_machine(component);
  if (glob_matches_scope(pattern, name)) return true;
  for (const TraceSignal& signal : component.signals()) {
    if (takes(pattern, name, signal.name())) return true;
  }
  for (const SignalDeclaration& later : component.signals_when_used()) {
    if (may_take(pattern, name, later)) return true;
  }
  return false;
}

// Components and scopes; also signals of components that match all but the last part of the
// pattern.
std::vector<std::string> names_near(const std::string& pattern,
                                    const std::vector<Component*>& components) {
  const std::string all_but_last = pattern.substr(0, std::min(pattern.rfind('.'), pattern.size()));
  std::set<std::string> names;
  for (Component* component : components) {
    const std::string name = name_in_machine(*component);
    for (std::size_t end = name.size(); end != std::string::npos && end > 0;
         end = name.rfind('.', end - 1))
      names.insert(name.substr(0, end));
    if (!glob_matches(all_but_last, name)) continue;
    for (const TraceSignal& signal : component->signals())
      names.insert(fmt::format("{}.{}", name, signal.name()));
    for (const SignalDeclaration& later : component->signals_when_used())
      names.insert(name_when_used(name, later, 0));
  }
  return {names.begin(), names.end()};
}

// Modules below the component and the component itself, without those of other components.
void trace_modules(const sc_core::sc_object& object, TraceFile& file) {
  if (dynamic_cast<const sc_core::sc_module*>(&object) != nullptr) object.trace(&file);
  for (const sc_core::sc_object* child : object.get_child_objects()) {
    if (dynamic_cast<const Component*>(child) == nullptr) trace_modules(*child, file);
  }
}

}  // namespace

TraceScope::TraceScope(std::vector<std::string> patterns)
    : patterns_(std::move(patterns)), given_(!patterns_.empty()) {
  if (!given_) patterns_.emplace_back(default_trace_scope);
}

bool TraceScope::takes(const std::string& component, const std::string& signal) const {
  return any(
      [&](const std::string& pattern) { return kernbench::takes(pattern, component, signal); });
}

bool TraceScope::may_take(const std::string& component, const SignalDeclaration& later) const {
  return any(
      [&](const std::string& pattern) { return kernbench::may_take(pattern, component, later); });
}

void TraceScope::check(const std::vector<Component*>& components, const std::string& option) const {
  if (!given_) return;
  for (const std::string& pattern : patterns_) {
    if (std::any_of(components.begin(), components.end(),
                    [&](Component* component) { return takes_any(pattern, *component); }))
      continue;
    const std::string near = did_you_mean_of_glob(pattern, names_near(pattern, components));
    throw UsageError(
        fmt::format("{}{} matches no signal of this machine{}", option, quote(pattern),
                    near.empty() ? "; its components are listed by 'kernbench topology'" : near));
  }
}

void TraceScope::observe(const std::vector<Component*>& components, TraceFile& file) const {
  const auto scope = std::make_shared<const TraceScope>(*this);
  for (Component* component : components) {
    const std::string name = name_in_machine(*component);
    const bool whole =
        any([&](const std::string& pattern) { return glob_matches_scope(pattern, name); });
    for (TraceSignal& signal : component->signals()) {
      if (whole || takes(name, signal.name())) file.add(*component, signal);
    }
    file.follow(*component, [scope](const std::string& in, const std::string& signal) {
      return scope->takes(in, signal);
    });
    if (whole) trace_modules(*component, file);
  }
}

}  // namespace kernbench
