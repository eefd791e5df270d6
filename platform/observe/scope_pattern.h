// Patterns of names of components and of scopes around them, as options of observers take them.
#pragma once

#include <string>

namespace kernbench {

// `*` any characters, dots too; `?` one; `[...]` one of.
bool matches_name(const std::string& pattern, const std::string& name);
// The name, or a scope around it: "sip0.cube0.pe0" matches all that is in the PE.
bool matches_scope(const std::string& pattern, const std::string& name);

}  // namespace kernbench
