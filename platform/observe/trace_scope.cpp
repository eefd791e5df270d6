#include "platform/observe/trace_scope.h"

#include <fnmatch.h>

#include "models/base/errors.h"
#include "platform/topology/nearest_name.h"

namespace kernbench {
namespace {

bool matches(const std::string& pattern, const std::string& name) { return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0; }

bool takes(const std::string& pattern, const std::string& component, const std::string& probe) {
  if (matches(pattern, component + "." + probe)) return true;
  for (std::size_t end = component.size(); end != std::string::npos; end = end == 0 ? std::string::npos : component.rfind('.', end - 1)) {
    if (matches(pattern, component.substr(0, end))) return true;
  }
  return false;
}

}  // namespace

TraceScope::TraceScope(std::vector<std::string> patterns) : patterns_(std::move(patterns)), given_(!patterns_.empty()) {
  if (!given_) patterns_.emplace_back(default_trace_scope);
}

bool TraceScope::takes(const std::string& component, const std::string& probe) const {
  for (const std::string& pattern : patterns_) {
    if (kernbench::takes(pattern, component, probe)) return true;
  }
  return false;
}

void TraceScope::observe(const std::vector<Component*>& components, TraceFile& file) const {
  std::vector<bool> used(patterns_.size(), false);
  for (Component* component : components) {
    for (Probe& probe : component->probes()) {
      bool taken = false;
      for (std::size_t i = 0; i < patterns_.size(); ++i) {
        if (!kernbench::takes(patterns_[i], component->name(), probe.name())) continue;
        taken = used[i] = true;
      }
      if (taken) file.add(*component, probe);
    }
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (used[i] || !given_) continue;
    std::vector<std::string> names;
    for (const Component* component : components) names.emplace_back(component->name());
    const bool plain = patterns_[i].find_first_of("*?[") == std::string::npos;
    throw UsageError("--trace-scope '" + patterns_[i] + "' matches no probe of this machine" +
                     (plain ? did_you_mean(patterns_[i], names) : "; its components are listed by 'kernbench topology'"));
  }
}

}  // namespace kernbench
