#include "platform/inspect/logged_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

LimitReport limits_of(const LogPlayer& log) {
  static const std::string of_kernel = "kernel ";
  LimitReport report;
  for (LimitRow& row : log.rows<LimitRow>()) {
    Limits* limits = &report.run;
    if (row.window.compare(0, of_kernel.size(), of_kernel) == 0) {
      const std::string kernel = row.window.substr(of_kernel.size());
      if (report.kernels.empty() || report.kernels.back().kernel != kernel)
        report.kernels.push_back({kernel, {}});
      limits = &report.kernels.back().limits;
    }
    limits->window = row.length;
    limits->is_estimated = row.twice > 0;
    limits->rows.push_back({std::move(row.resource), std::move(row.key), std::move(row.kind),
                            std::move(row.busiest), row.busy, row.stalled, row.twice,
                            row.at_least});
  }
  return report;
}

Table servers_of(const LogPlayer& log, const std::string& window) {
  std::vector<ServerUseRow> rows = log.rows<ServerUseRow>();
  std::string windows;
  for (const ServerUseRow& row : rows) {
    const std::string name = quote(row.window);
    if (windows.find(name) == std::string::npos) windows += (windows.empty() ? "" : ", ") + name;
  }
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const ServerUseRow& row) { return row.window != window; }),
             rows.end());
  if (rows.empty()) {
    throw UsageError(
        fmt::format("--servers {}: {} has {}", quote(window), quote(log.path()),
                    windows.empty() ? "no servers that were used" : "the windows " + windows));
  }
  const auto share = [](const ServerUseRow& row) {
    const double time = static_cast<double>(row.length) * static_cast<double>(row.places);
    return time == 0 ? 0 : std::min(1.0, static_cast<double>(row.busy) / time);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const ServerUseRow& a, const ServerUseRow& b) {
    return share(a) > share(b);
  });
  Table table("servers", {{"server", "server"},
                          {"part", "part"},
                          {"resource", "resource"},
                          {"kind", "kind"},
                          {"places", "places"},
                          {"busy_ns", "busy"},
                          {"utilisation", "of window"},
                          {"stalled_ns", "stalled"}});
  for (const ServerUseRow& row : rows) {
    table.add({row.server, row.part, row.resource, row.kind, row.places, TimeCell{row.busy},
               ShareCell{share(row)}, TimeCell{row.stalled}});
  }
  return table;
}

}  // namespace kernbench
