// Command line of `kernbench run` for a point of a sweep.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "sc_main/run_options.h"

namespace kernbench {

class RunCommandLine {
 public:
  RunCommandLine() { options.add_to(app); }

  // `words`: the command from "run" on. UsageError.
  void parse(const std::vector<std::string>& words) {
    parse_alone(words);
    options.check();
  }
  // Each option by itself, without the contradictions of several.
  void parse_alone(const std::vector<std::string>& words) {
    std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);  // as CLI11 takes them
    try {
      app.parse(reversed);
    } catch (const CLI::ParseError& error) {
      throw UsageError(error.what());
    }
  }

  CLI::App app;
  RunOptions options;
};

}  // namespace kernbench
