// Completion of the command line at a Tab: candidates from the CLI11 app.
#pragma once

#include <string>
#include <vector>

#include "platform/report/option_values.h"

namespace CLI {
class App;
}

namespace kernbench {

// `words` after the program's name, the last one up to the cursor. Parses `app` again. Includes the
// commands that only the launcher has.
Candidates complete(CLI::App& app, std::vector<std::string> words);

}  // namespace kernbench
