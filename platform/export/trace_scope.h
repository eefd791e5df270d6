// Selection of the signals of a waveform: `--trace-scope GLOB`.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "platform/export/trace_file.h"

namespace kernbench {

// All engines of all PEs.
inline constexpr const char* default_trace_scope = "*.pe*.pe_*";

// Globs as in platform/config/glob.h. A pattern takes a signal whose component, a scope around it,
// or component.signal it matches: "sip0.cube0.pe0" and "sip0.cube0.pe0.*" take the whole PE,
// "*_busy" every signal whose name ends so.
class TraceScope {
 public:
  explicit TraceScope(std::vector<std::string> patterns);  // none: the default

  bool takes(const std::string& component, const std::string& signal) const;
  // Signals that may come when used, by any number.
  bool may_take(const std::string& component, const SignalDeclaration& later) const;

  // Throws UsageError for a given pattern that takes nothing, with the nearest names; `option`
  // precedes it.
  void check(const std::vector<Component*>& components,
             const std::string& option = "--trace-scope ") const;
  // Adds what it takes to the file: the signals of components, also those that come in the course
  // of the run, and what modules register that have trace(sc_trace_file*) and lie in a component
  // that it takes.
  void observe(const std::vector<Component*>& components, TraceFile& file) const;

 private:
  template <class Takes>
  bool any(Takes takes) const {
    return std::any_of(patterns_.begin(), patterns_.end(), takes);
  }

  std::vector<std::string> patterns_;
  bool given_;
};

}  // namespace kernbench
