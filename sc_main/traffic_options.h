// Options of `kernbench traffic`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "platform/assembly/run.h"
#include "platform/report/report.h"
#include "platform/traffic/traffic_generator.h"
#include "sc_main/machine_options.h"

namespace CLI {
class App;
}

namespace kernbench {

struct TrafficOptions {
  MachineOptions machine;
  std::string file, pattern, save, out, links;
  ReportSet reports;
  TrafficRecipe recipe;
  std::string rate_gbs = "0", read_share = "1";
  std::vector<std::string> initiators, targets;
  std::string until_ns, max_wall_s, deadlock_after_ns = "1000000";
  std::string fabric = "runs";
  bool csv = false, json = false, breakdown = false, check_protocol = false;
  const CLI::App* command = nullptr;

  void add_to(CLI::App& app);
  // All throw UsageError.
  void check() const;  // contradictory options, or options without effect
  TrafficRecipe resolved_recipe() const;
  RunLimits limits() const;

 private:
  void check_that_none_is_idle() const;
  std::optional<Fs> deadlock_after() const;
};

}  // namespace kernbench
