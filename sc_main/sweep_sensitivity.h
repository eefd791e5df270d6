// `kernbench sweep PLAN --sensitivity`: the keys that are varied around the base point, and the
// table of their effects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/sweep/sensitivity.h"
#include "platform/sweep/sweep_points.h"
#include "sc_main/sweep_result.h"

namespace CLI {
class App;
}

namespace kernbench {

struct SensitivityOptions {
  std::vector<std::string> keys;  // keys or patterns; empty: those of the plan
  double step_percent = 5;
  std::string of = "simulated_ns";

  void add_to(CLI::App& command);
  // These options as words of a command line.
  std::vector<std::string> words() const;
  // Refuses --of without such a column; `columns`: those of the points. UsageError.
  void check_column(const SweepPlan& plan, std::vector<std::string> columns) const;
};

class Sensitivity {
 public:
  // Varies keys around the first point of the plan: parameters of its bench, keys of its topology
  // and of ccl.yaml. UsageError: none is chosen, a pattern matches no key, no value of a machine.
  Sensitivity(const SweepPlan& plan, const SensitivityOptions& options, std::uint64_t max_points);

  const SweepPlan& plan() const { return plan_; }
  // Prints the table from the results. Returns the exit status.
  int print(const std::string& results, SweepFormat format) const;

 private:
  std::string without_variation() const;  // a line for each reason, with the first keys

  const SensitivityOptions& options_;
  std::vector<VariedKey> keys_;
  std::string base_label_;
  SweepPlan plan_;
};

}  // namespace kernbench
