// Figures of a plan (spec 10.7): which columns of the results a figure shows.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_tree.h"
#include "platform/figure/figure.h"

namespace kernbench {

struct PlanFigure {
  std::string name;  // file name without extension
  FigureKind kind = FigureKind::lines;
  std::string title = {}, text = {};     // text: caption
  std::string x = {};                    // column
  std::vector<std::string> y = {};       // columns, a series each; of a heat map one, its rows
  std::vector<std::string> series = {};  // columns whose values separate series
  std::vector<std::string> theory = {};  // those of y that are dashed
  std::string cells = {};                // heat maps: column of the values
  std::string labels = {};               // column of the texts at points
  std::string where = {};                // SQL
  bool log_x = false, log_y = false;
  std::string x_label = {}, y_label = {}, cells_label = {};
  std::string pareto = {};  // "lower", "higher": the better y; "": no front
  ConfigLocation place = {};
};

// Names of all kinds, in the order of FigureKind.
const std::vector<std::string>& figure_kinds();
const std::string& name_of(FigureKind kind);

// `figures` of a plan. Faults are added to `issues`; columns are known only with results.
std::vector<PlanFigure> read_plan_figures(const ConfigNode& figures,
                                          std::vector<ConfigIssue>& issues);
// What makes a figure without a place wrong: "pareto: ..."; empty: nothing.
std::vector<std::string> faults_of(const PlanFigure& figure);

// As stored in the result file, and back.
std::string figures_as_json(const std::vector<PlanFigure>& figures);
std::vector<PlanFigure> figures_from_json(const std::string& json);

}  // namespace kernbench
