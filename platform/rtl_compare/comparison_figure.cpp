#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platform/rtl_compare/time_comparison.h"

namespace kernbench {
namespace {

constexpr double near = 0.05;            // half width of the band
constexpr double widest_linear = 8;      // highest / lowest ratio of a linear axis
constexpr double least_ratio = 0x1p-20;  // for work that takes no time
constexpr std::size_t most_names = 90;   // beyond them only the groups have names

bool groups_are_together(const TimeComparison& comparison) {
  std::size_t changes = 0;
  for (std::size_t i = 1; i < comparison.works.size(); ++i)
    changes += comparison.works[i].group != comparison.works[i - 1].group ? 1 : 0;
  return changes < comparison.groups().size();
}

// Name of each work; of many works that of a group, at its first work.
std::vector<std::string> names_of(const TimeComparison& comparison) {
  const std::vector<ComparedWork>& works = comparison.works;
  const bool all = works.size() <= most_names, groups = groups_are_together(comparison);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const bool begins = i == 0 || works[i].group != works[i - 1].group;
    names.push_back(all ? works[i].name : begins && groups ? works[i].group : "");
  }
  return names;
}

FigureAxis ratio_axis(const TimeComparison& comparison) {
  double low = 1 - 2 * near, high = 1 + 2 * near;
  for (std::size_t model = 0; model < comparison.models.size(); ++model) {
    const Distribution ratios = comparison.ratios(model);
    low = std::min(low, std::max(ratios.min, least_ratio));
    high = std::max(high, ratios.max);
  }
  return {fmt::format("time of {} / time of the model", comparison.implementation),
          high / low > widest_linear,
          low / 1.03,
          high * 1.03,
          {}};
}

// Lines at the ratios, as one series.
FigureSeries levels(const std::string& name, const std::vector<double>& ratios, std::size_t works) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  FigureSeries series;
  series.name = name;
  series.theory = true;
  for (const double ratio : ratios) {
    series.x.insert(series.x.end(), {-0.5, static_cast<double>(works) - 0.5, none});
    series.y.insert(series.y.end(), {ratio, ratio, none});
  }
  return series;
}

}  // namespace

Figure comparison_figure(const TimeComparison& comparison) {
  const std::size_t works = comparison.works.size();
  Figure figure;
  figure.kind = FigureKind::scatter;
  figure.title = fmt::format("Time of {} per {}, relative to transaction-level models",
                             comparison.implementation, comparison.kind);
  figure.x.label = comparison.kind;
  figure.x.categories = names_of(comparison);
  figure.y = ratio_axis(comparison);
  for (std::size_t model = 0; model < comparison.models.size(); ++model) {
    const Distribution ratios = comparison.ratios(model);
    figure.caption +=
        fmt::format("{}{}: median {:.4g}, p95 {:.4g}, {:.4g} to {:.4g}", model == 0 ? "" : "; ",
                    comparison.models[model], ratios.p50, ratios.p95, ratios.min, ratios.max);
    FigureSeries& series = figure.series.emplace_back();
    series.name = comparison.models[model];
    for (std::size_t i = 0; i < works; ++i) {
      series.x.push_back(static_cast<double>(i));
      series.y.push_back(std::max(comparison.works[i].ratio(model), least_ratio));
    }
  }
  figure.caption += '.';
  figure.series.push_back(levels("equal times", {1}, works));
  figure.series.push_back(levels("within 5 %", {1 - near, 1 + near}, works));
  return figure;
}

}  // namespace kernbench
