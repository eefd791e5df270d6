// Figures from result files of sweeps (spec 10.7).
#pragma once

#include <string>
#include <vector>

#include "platform/figure/figure.h"
#include "platform/sweep/plan_figure.h"

namespace kernbench {

// Figures of the plan of a result file; none: its plan has none. UsageError: no result file of a
// sweep, or one of another schema version.
std::vector<PlanFigure> figures_of_results(const std::string& path);

// Title, by default "Y over X".
std::string figure_title(const PlanFigure& figure);

// Figure with the finished points of result files. Several files overlay: their series are named by
// file. The caption is the text of `figure`, followed by constant settings, those that differ
// between files, and the numbers of points that have failed, have no value or were stopped.
// UsageError, which names the figure: a column that does not exist, `where` that is no SQL, no
// finished point, or points that nothing distinguishes.
Figure figure_of(const PlanFigure& figure, const std::vector<std::string>& paths);

}  // namespace kernbench
