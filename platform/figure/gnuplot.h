// gnuplot as a child process (docs/decisions/figures-by-gnuplot.md).
#pragma once

#include <string>

namespace kernbench {

// UsageError, which names the package, if it is not installed.
void require_gnuplot();

// Output of gnuplot for a script, without a shell and without start-up files of the user.
// UsageError: not installed. Error with gnuplot's own message: it fails or draws nothing.
std::string run_gnuplot(const std::string& script);

// Text as a constant of a script: nothing in it is interpreted. Control characters become blanks.
std::string gnuplot_text(const std::string& text);

}  // namespace kernbench
