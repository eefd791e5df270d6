// Reading of YAML in bounded time and memory. yaml-cpp alone may find documents without end: one
// that begins with a comma is given out again and again.
#pragma once

#include <yaml-cpp/node/node.h>

#include <string>

namespace kernbench {

// The one document of a text; null for a text without one. Throws YAML::ParserException for what is
// no YAML, YAML::RepresentationException for a second document, and more than a million values.
YAML::Node parse_yaml(const std::string& text);

// That of a file; YAML::BadFile, and YAML::RepresentationException for more than 16 MiB.
YAML::Node read_yaml(const std::string& path);

}  // namespace kernbench
