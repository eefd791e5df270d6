// Message for a command line that cannot be read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kernbench {

// `words`: the command line. One clear line, with the nearest command or option where there is one,
// and where help is.
std::string command_line_error(const CLI::App& app, const CLI::ParseError& error,
                               const std::vector<std::string>& words);

}  // namespace kernbench
