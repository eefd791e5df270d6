// YAML parsing in bounded time and memory. yaml-cpp alone may not terminate: its parser returns a
// document that begins with a comma endlessly.
#pragma once

#include <yaml-cpp/node/node.h>

#include <string>

namespace kernbench {

// Parses the only document of a text; null for a text without one. Throws YAML::ParserException for
// invalid YAML, YAML::RepresentationException for a second document or more than a million values.
YAML::Node parse_yaml(const std::string& text);

// Parses a file likewise. Throws YAML::BadFile for one that cannot be read, and
// YAML::RepresentationException for one larger than 16 MiB.
YAML::Node read_yaml(const std::string& path);

// Converts YAML text to JSON text, for files that store a configuration but no YAML. Keys keep the
// order of the text. Plain scalars that are numbers, true or false in JSON stay so; everything else
// becomes a string.
std::string yaml_as_json(const std::string& yaml);

}  // namespace kernbench
