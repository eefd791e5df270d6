#include "sw/distributed/collective_table.h"

namespace kernbench {

ResultTable collective_table(const std::vector<std::shared_ptr<const CollectiveRecord>>& records) {
  using Cell = ResultTable::Cell;
  ResultTable table("collectives", {"op", "algorithm", "reduction", "dtype", "ranks", "bytes",
                                    "time_ns", "algorithm_gbs", "bus_gbs"});
  for (const auto& record : records) {
    const std::optional<Fs> time = record->time();
    if (!time) continue;
    table.add({std::string(name_of(record->op)), record->algorithm,
               record->reduction.empty() ? Cell() : Cell(record->reduction),
               std::string(name_of(record->dtype)), std::int64_t{record->ranks},
               static_cast<std::int64_t>(record->nbytes), to_ns(*time),
               algorithm_bandwidth_gbs(record->nbytes, *time),
               bus_bandwidth_gbs(record->op, record->ranks, record->nbytes, *time)});
  }
  return table;
}

}  // namespace kernbench
