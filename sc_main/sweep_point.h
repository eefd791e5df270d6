// Points of a sweep as `run` commands: their words, what determines their results, and their run in
// a worker process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/sweep/sweep_file.h"
#include "platform/sweep/sweep_plan.h"
#include "sc_main/catalogue.h"
#include "sc_main/machine_options.h"

namespace kernbench {

// Options of `run` that a plan may set: those that write no file and do not change what is printed.
std::vector<std::string> options_of_points();

// Words of the `run` command of a point, from "run" on.
std::vector<std::string> words_of_point(const std::vector<PlanValue>& settings);

// Value of a function that runs in a process of its own, because it may load plug-ins that only the
// points load. UsageError, which begins with `what`: the process has ended without a value.
std::string value_of_process(const std::string& what, const std::function<std::string()>& function);

// Hash of the contents of the configuration files and plug-ins that points read; each file is read
// once.
class InputFiles {
 public:
  std::string hash(const std::vector<PlanValue>& settings);

 private:
  std::string hash_of(const MachineOptions& options, const std::string& tuning_table);
  const std::string& content_hash(const std::string& path);

  std::map<std::string, std::string> by_names_, by_path_;
};

class PointRunner {
 public:
  struct Limits {
    std::uint64_t memory_bytes = 0;  // limit of a worker
    unsigned threads = 1;            // threads for phase 2
  };
  // Loads the catalogue of all points, unless they load plug-ins or names of their own.
  PointRunner(const SweepPlan& plan, const Limits& limits);

  // Faults of the plan that concern every point; "": none. `first`: values of the axes at the first
  // point.
  std::string faults(const std::vector<std::string>& first) const;
  // Result of a point as text, for row_of(). Throws nothing.
  std::string run(const std::vector<PlanValue>& settings) const;
  // Adds status, message, hash, parameters and summary to a row.
  static void add_result(const std::string& result, SweepRow& row);

 private:
  const SweepPlan& plan_;
  Limits limits_;
  std::shared_ptr<const Catalogue> catalogue_;  // null: each point loads its own
};

}  // namespace kernbench
