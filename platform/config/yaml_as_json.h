// YAML text as JSON text, for files that hold a configuration but no YAML.
#pragma once

#include <string>

namespace kernbench {

// Keys in the order of the text; plain scalars that are numbers, true or false in JSON are such,
// everything else is a string.
std::string yaml_as_json(const std::string& yaml);

}  // namespace kernbench
