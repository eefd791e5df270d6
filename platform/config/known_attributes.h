// Facts read from attributes of well-known names, for any component; the schema of a plug-in's
// component may give them another meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/base/parameter.h"

namespace kernbench {

// Value of type Rational, bool or std::string. None: no such attribute, or one of another type.
template <class Value>
std::optional<Value> value_in(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.values().find(name);
  if (found == attributes.values().end()) return std::nullopt;
  const auto* const value = std::get_if<Value>(&found->second);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

// Clock from clock_period_ns, else from clock_ghz; none: neither is a number above 0.
std::optional<Rational> clock_ghz_of(const Attributes& attributes);

// Least time of a message at a node: overhead_ns; without it, for a node with a pipeline, its
// pipeline_cycles and one cycle more for the switch (spec 2.10); else 0.
Fs overhead_of(const Attributes& attributes);

}  // namespace kernbench
