#include "platform/probe/probe_figure.h"

#include <fmt/format.h>

#include <set>

namespace kernbench {
namespace {

std::string text_of(const ProbeOutcome& outcome) {
  if (!outcome.bottleneck) return outcome.probe.name;
  return fmt::format("{}, {:.0f} % of {:g} GB/s", outcome.probe.name,
                     100 * outcome.utilisation(outcome.points.back()),
                     outcome.bottleneck->bw_gbs.to_double());
}

}  // namespace

Figure probe_figure(const std::vector<ProbeOutcome>& outcomes) {
  Figure figure;
  figure.kind = FigureKind::lines;
  figure.title = "Effective bandwidth of single transfers";
  figure.caption =
      "Bytes / simulated time from grant to completion, each transfer alone on an idle machine. "
      "Legend: utilisation of the narrowest link, node or HBM partition of the path at 1 MiB. "
      "Dashed without marks: bandwidths of these bottlenecks, from the topology.";
  figure.x = {"size (B)", true};
  figure.y = {"effective bandwidth (GB/s)", true};
  std::set<double> bottlenecks;
  for (const ProbeOutcome& outcome : outcomes) {
    if (outcome.points.empty()) continue;
    FigureSeries series;
    series.name = text_of(outcome);
    for (const ProbePoint& point : outcome.points) {
      series.x.push_back(static_cast<double>(point.bytes));
      series.y.push_back(point.effective_gbs());
    }
    if (outcome.bottleneck) bottlenecks.insert(outcome.bottleneck->bw_gbs.to_double());
    figure.series.push_back(std::move(series));
  }
  for (const double gbs : bottlenecks) {
    const double first = static_cast<double>(sweep_bytes.front()),
                 last = static_cast<double>(sweep_bytes.back());
    FigureSeries series{fmt::format("{:g} GB/s", gbs), {first, last}, {gbs, gbs}};
    series.theory = true;
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace kernbench
