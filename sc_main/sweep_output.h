// Folder that a sweep fills (`--out`): result file, CSV, figures and a page (spec 10.8).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/sweep/sweep_file.h"
#include "platform/sweep/sweep_plan.h"
#include "platform/sweep/sweep_points.h"

namespace CLI {
class App;
}

namespace kernbench {

struct SweepOutput {
  std::string folder;
  bool reuse = false;

  void add_to(CLI::App& command);
  bool is_requested() const { return !folder.empty(); }
  std::string results() const;  // name of the result file

  // Refuses contradictions: `others` are options that exclude --out, and whether they were given.
  // UsageError.
  void check(const std::vector<std::pair<const char*, bool>>& others) const;
  // Writes figures and page from the results; no effect without a folder. Prints the name of the
  // page unless `quiet`. Returns the exit status: 1 if a figure cannot be drawn.
  // Throws Error if a file cannot be written; an earlier one of its name is kept.
  // `absent`: points of the plan that the results do not have.
  int write(SweepFile& file, const SweepPlan& plan, bool quiet, std::size_t absent = 0) const;
  // The same, and the CSV, from results that exist. UsageError if they have no point of the plan.
  int redraw(const SweepPlan& plan, const SweepPoints& points, bool quiet) const;
};

// Processor, number of processors, memory and operating system of this host, on a line.
std::string host_text();

}  // namespace kernbench
