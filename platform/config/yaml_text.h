// Reading of YAML in bounded time and memory. yaml-cpp alone may not terminate: for a document that
// begins with a comma its parser returns that document for ever.
#pragma once

#include <yaml-cpp/node/node.h>

#include <string>

namespace kernbench {

// The one document of a text; null for a text without one. Throws YAML::ParserException for what is
// no YAML, YAML::RepresentationException for a second document, and more than a million values.
YAML::Node parse_yaml(const std::string& text);

// Reads a file in the same way. Throws YAML::BadFile for one that cannot be read, and
// YAML::RepresentationException for one larger than 16 MiB.
YAML::Node read_yaml(const std::string& path);

// YAML text as JSON text, for files that hold a configuration but no YAML. Keys in the order of the
// text; plain scalars that are numbers, true or false in JSON are such, everything else is a
// string.
std::string yaml_as_json(const std::string& yaml);

}  // namespace kernbench
