// `--stats F.json` (spec 11.3): the observers behind its histograms, and the file that is written
// when the run is over.
#pragma once

#include <nlohmann/json.hpp>

#include "platform/observe/bottleneck.h"
#include "platform/observe/run_statistics.h"
#include "platform/observe/statistics_regions.h"
#include "platform/observe/transfer_breakdown.h"
#include "platform/observe/waiting_times.h"
#include "platform/report/result_file.h"

namespace kernbench {

class StatisticsFile {
 public:
  // Observes `platform`, which outlives it, from now on.
  StatisticsFile(ResultFile file, Platform& platform)
      : file_(std::move(file)), transfers_(platform), waiting_(platform) {}

  // `kernels`: of the program; null: it has none. Throws Error if not everything is in the file.
  void close(const RunStatistics& statistics, const StatisticsRegions& regions,
             const Bottleneck& bottleneck, const nlohmann::ordered_json& kernels = {}) {
    nlohmann::ordered_json json = statistics.json(regions, waiting_, transfers_);
    json["bottleneck"] = bottleneck.report().json();
    json["servers"] = bottleneck.servers();
    if (!kernels.is_null()) json["kernels"] = kernels;
    write_json_lines(file_.out(), json);
    file_.close();
  }

 private:
  ResultFile file_;
  TransferBreakdown transfers_;
  WaitingTimes waiting_;
};

}  // namespace kernbench
