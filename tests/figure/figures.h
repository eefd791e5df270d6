// Figures of tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/figure/figure.h"

namespace kernbench::test {

inline FigureSeries series_of(const std::string& name, std::vector<double> x,
                              std::vector<double> y) {
  FigureSeries series;
  series.name = name;
  series.x = std::move(x);
  series.y = std::move(y);
  return series;
}

inline Figure figure_of_kind(FigureKind kind) {
  Figure figure;
  figure.kind = kind;
  figure.title = "Time over K";
  figure.x.label = "K (elements)";
  figure.y.label = "time (ns)";
  figure.series = {series_of("measured", {0, 1, 2}, {1, 4, 9})};
  if (kind == FigureKind::bars || kind == FigureKind::stacked_bars)
    figure.x.categories = {"a", "b", "c"};
  if (kind != FigureKind::heat_map) return figure;
  figure.series.clear();
  figure.x.categories = {"0", "1"};
  figure.y.categories = {"cube0", "cube1", "cube2"};
  figure.cells = {{0, 0.5}, {0.25, 1}, {0.125, 0.75}};
  figure.cells_label = "busy (share)";
  return figure;
}

}  // namespace kernbench::test
