// End of a sweep: view and CSV of its results, and the summary that is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/sweep/sweep_file.h"
#include "platform/sweep/sweep_plan.h"
#include "platform/sweep/sweep_points.h"

namespace kernbench {

enum class SweepFormat : std::uint8_t { text, json, csv, none };

// Lists the points of a plan that are in the shard, and their number. Returns the exit status.
int print_points(const SweepPlan& plan, const SweepPoints& points, const SweepShard& shard,
                 SweepFormat output);

struct SweepProgress {
  std::size_t before = 0, run = 0, failed = 0;  // points done before, run now, failed now
  double wall_s = 0, cpu_s = 0;                 // CPU time of the workers
  bool interrupted = false;
};

// Refuses derived columns that are no valid SQL. Names of columns are known after the first point.
void check_derived(const SweepPlan& plan);

// Refuses names of the plan that are those of other columns: summary columns, by name.
void check_column_names(const SweepPlan& plan, const std::vector<std::string>& summary);

// Defines the results, writes the CSV next to the file and prints the summary as text or JSON, or
// not at all. Returns the exit status: 1 if a point has failed or is missing, or if the results are
// not those of a shard and lack a derived column.
int conclude_sweep(SweepFile& file, const std::vector<RequestedPoint>& requested,
                   const std::vector<PlanExpression>& derived, const SweepProgress& progress,
                   SweepFormat output);

}  // namespace kernbench
