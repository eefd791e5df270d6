// `kernbench list sweeps`: shipped plans.
#include "sc_main/list_sweeps.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "platform/config/shipped_files.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/sweep/sweep_plan.h"
#include "platform/sweep/sweep_points.h"
#include "sc_main/command.h"
#include "sc_main/sweep_point.h"

namespace kernbench {
namespace {

constexpr std::uint64_t most_points = 1'000'000;

int list_sweeps(bool as_json) {
  Table table("sweeps",
              {{"name", "sweep"}, Table::Column("points", "points").right(), {"title", "title"}});
  for (const std::string& name : shipped_plans()) {
    const SweepPlan plan = load_plan(find_plan(name), options_of_points());
    table.add({name, std::uint64_t{SweepPoints(plan, most_points).size()}, plan.title});
  }
  std::cout << (as_json ? json_text(table.json(), 2) + '\n' : table.text());
  return exit_done;
}

void declare_list_sweeps(CLI::App& command, Invocation& invocation) {
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "As JSON");
  command.footer(
      "Examples:\n  kernbench list sweeps\n  kernbench sweep milestone-gemm --dry-run\n");
  invocation.on(command, [json, &list = *command.get_parent()] {
    if (list.count("--plugin") > 0 || list.count("--set") > 0)
      throw UsageError("list sweeps: --plugin and --set have no effect here");
    return list_sweeps(*json);
  });
}
const CommandRegistration list_sweeps_registration(29, "list sweeps",
                                                   "Shipped plans: names that sweep takes",
                                                   declare_list_sweeps);

}  // namespace

Candidates plan_candidates(const std::string& /*typed*/) { return candidates_of(shipped_plans()); }

}  // namespace kernbench
