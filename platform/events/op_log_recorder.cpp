#include "platform/events/op_log_recorder.h"

#include <utility>

namespace kernbench {
namespace {

void add(const std::string& window, const UsageWindow& use, const ServerTable& servers,
         const Resources& resources, std::vector<ServerUseRow>& rows) {
  for (std::size_t i = 0; i < use.use.size(); ++i) {
    const UsedServer& server = servers.servers()[i];
    if (use.use[i].busy == 0 && use.use[i].stalled == 0) continue;
    const Resource& resource = resources[server.resource];
    rows.push_back({window, use.length, server.name, server.part, resource.name,
                    name_of(resource.kind), server.places, use.use[i].busy, use.use[i].stalled});
  }
}

std::vector<ServerUseRow> servers_of(const Bottleneck& bottleneck,
                                     const StatisticsRegions& regions) {
  std::vector<ServerUseRow> rows;
  const ServerTable& table = bottleneck.usage().table();
  const Resources& resources = bottleneck.resources();
  add("pe", bottleneck.usage().pe(), table, resources, rows);
  add("host", bottleneck.usage().host(), table, resources, rows);
  for (const StatisticsRegions::Region& region : regions.regions())
    add("region " + region.label, region.window, regions.servers(), regions.resources(), rows);
  if (bottleneck.kernels() == nullptr) return rows;
  for (const KernelWindows::Kernel& kernel : bottleneck.kernels()->kernels())
    add("kernel " + kernel.name, kernel.window, table, resources, rows);
  return rows;
}

void add(const std::string& window, const Limits& limits, std::vector<LimitRow>& rows) {
  for (const ResourceLimit& row : limits.rows)
    rows.push_back({window, limits.window, row.resource, row.key, row.kind, row.busiest, row.busy,
                    row.stalled, limits.is_estimated ? row.twice : 0,
                    limits.is_estimated ? row.at_least : 0});
}

std::vector<LimitRow> limits_of(const LimitReport& report) {
  std::vector<LimitRow> rows;
  add("pe", report.run, rows);
  for (const auto& [kernel, limits] : report.kernels) add("kernel " + kernel, limits, rows);
  return rows;
}

}  // namespace

OpLogRecorder::OpLogRecorder(ResultFile file, FunctionalModel& data, Platform& platform,
                             std::uint64_t limit)
    : file_(std::move(file), &data, limit),
      parameters_(platform.observation(), platform.machine(), file_) {
  if (file_.table() != nullptr) progress_.emplace(platform.observation(), *file_.table(), limit);
}

void OpLogRecorder::close(std::vector<LaunchRow> launches, const Bottleneck& bottleneck,
                          const StatisticsRegions& regions, const OpTable::Meta& meta) {
  if (progress_) {
    progress_->close(std::move(launches));
    file_.table()->insert(servers_of(bottleneck, regions));
    file_.table()->insert(limits_of(bottleneck.report()));
  }
  file_.close(meta);
}

}  // namespace kernbench
