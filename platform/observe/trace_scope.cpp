#include "platform/observe/trace_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_root.h"
#include "platform/config/nearest_name.h"
#include "platform/observe/scope_pattern.h"

namespace kernbench {
namespace {

bool takes(const std::string& pattern, const std::string& component, const std::string& signal) {
  return matches_name(pattern, fmt::format("{}.{}", component, signal)) ||
         matches_scope(pattern, component);
}

}  // namespace

TraceScope::TraceScope(std::vector<std::string> patterns)
    : patterns_(std::move(patterns)), given_(!patterns_.empty()) {
  if (!given_) patterns_.emplace_back(default_trace_scope);
}

bool TraceScope::takes(const std::string& component, const std::string& signal) const {
  for (const std::string& pattern : patterns_) {
    if (kernbench::takes(pattern, component, signal)) return true;
  }
  return false;
}

void TraceScope::check(const std::vector<Component*>& components) const {
  if (!given_) return;
  for (const std::string& pattern : patterns_) {
    const auto used = [&pattern](Component* component) {
      const auto& signals = component->signals();
      return std::any_of(signals.begin(), signals.end(), [&](const TraceSignal& signal) {
        return kernbench::takes(pattern, name_in_machine(*component), signal.name());
      });
    };
    if (std::any_of(components.begin(), components.end(), used)) continue;
    std::vector<std::string> names;
    for (const Component* component : components) names.emplace_back(name_in_machine(*component));
    const bool plain = pattern.find_first_of("*?[") == std::string::npos;
    throw UsageError(fmt::format("--trace-scope {} matches no signal of this machine{}",
                                 quote(pattern),
                                 plain ? did_you_mean(pattern, names)
                                       : "; its components are listed by 'kernbench topology'"));
  }
}

void TraceScope::observe(const std::vector<Component*>& components, TraceFile& file) const {
  for (Component* component : components) {
    for (TraceSignal& signal : component->signals()) {
      if (takes(name_in_machine(*component), signal.name())) file.add(*component, signal);
    }
  }
}

}  // namespace kernbench
