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

// Globs as in platform/config/glob.h. A pattern selects a signal if it matches the component, an
// enclosing scope, or component.signal: "sip0.cube0.pe0" and "sip0.cube0.pe0.*" select the whole
// PE, "*_busy" every signal with that ending.
class TraceScope {
 public:
  explicit TraceScope(std::vector<std::string> patterns);  // none: the default

  bool takes(const std::string& component, const std::string& signal) const;
  // True for signals that may appear in the course of the run, by any number.
  bool may_take(const std::string& component, const SignalDeclaration& later) const;

  // Throws UsageError for a given pattern that selects nothing, with the nearest names; `option`
  // precedes it.
  void check(const std::vector<Component*>& components,
             const std::string& option = "--trace-scope ") const;
  // Adds the selected signals to the file: signals of components, including those that appear in
  // the course of the run, and objects registered by modules with trace(sc_trace_file*) inside a
  // selected component.
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
