// Run of a plan of `sweep`, on this host or as a job array of Slurm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/sweep/process_pool.h"
#include "platform/sweep/sweep_file.h"
#include "platform/sweep/sweep_plan.h"
#include "platform/sweep/sweep_points.h"
#include "sc_main/command.h"
#include "sc_main/sweep_output.h"
#include "sc_main/sweep_point.h"
#include "sc_main/sweep_result.h"
#include "sc_main/sweep_sensitivity.h"
#include "sc_main/sweep_slurm.h"

namespace kernbench {

struct SweepOptions {
  std::string plan, results, shard, max_memory;
  std::uint64_t max_points = 100'000;
  unsigned jobs = 0;  // 0: one per processor
  bool dry_run = false, json = false, csv = false;
  SweepOutput output;
  bool varies_keys = false;  // --sensitivity
  SensitivityOptions sensitivity;
  bool on_slurm = false;  // --slurm
  SlurmOptions slurm;

  SweepFormat format() const {
    if (json) return SweepFormat::json;
    return csv ? SweepFormat::csv : SweepFormat::text;
  }

  unsigned workers() const;
};

// Run of a plan, or of a shard of it, into its result file.
class SweepRun {
 public:
  SweepRun(const SweepOptions& options, const SweepPlan& plan, const SweepPoints& points,
           const SweepShard& shard);

  int run(const Invocation& invocation, const std::string& results);
  // Runs the plan as a job array of Slurm; none: it is not complete.
  std::optional<int> distribute(const Invocation& invocation, const std::string& results);

  // Refuses faults of the plan that every point would have. UsageError.
  void check() const;

 private:
  std::vector<PlanValue> settings(std::uint64_t point) const {
    return plan_.settings_of(points_.axis_values(point - 1));
  }

  // Format of the summary: none if --sensitivity prints its table as JSON or CSV.
  SweepFormat format() const {
    const bool is_quiet = options_.varies_keys && options_.format() != SweepFormat::text;
    return is_quiet ? SweepFormat::none : options_.format();
  }

  void make_keys();
  int run_plan(const Invocation& invocation, const std::string& results);
  void run_into(SweepFile& file, const Invocation& invocation);
  void open(SweepFile& file, const Invocation& invocation);
  SweepFacts facts(const SweepShard& shard, const Invocation& invocation) const;
  std::vector<std::string> axes() const;
  void report_changes(const SweepFile& file) const;
  // Refuses names that columns of the results have already, and --of without such a column.
  void check_columns(const SweepFile& file) const;
  void check_columns(const SweepRow& row) const;
  // Keys of the requested points that a file has from this version.
  std::set<std::string> done_in(const std::string& results) const;
  void start_shard(const SweepShard& shard, const std::string& path, const std::string& results,
                   const std::set<std::string>& done, const Invocation& invocation) const;
  void run_points(SweepFile& file);
  SweepRow row_of(const RequestedPoint& point, const ProcessOutcome& outcome) const;

  const SweepOptions& options_;
  const SweepPlan& plan_;
  const SweepPoints& points_;
  SweepShard shard_;
  PointRunner runner_;
  std::vector<RequestedPoint> requested_;  // points of this shard, without duplicates
  std::string plan_hash_;
  std::size_t repeated_ = 0;
  std::vector<std::size_t> pending_;  // indices in requested_
  SweepProgress progress_;
};

}  // namespace kernbench
