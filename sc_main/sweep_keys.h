// Columns `keys` of a sweep: values of configuration keys in the resolved configuration of a point,
// so that derived columns compute bounds from the machine.
#pragma once

#include <vector>

#include "platform/config/config_tree.h"
#include "platform/sweep/summary_columns.h"
#include "platform/sweep/sweep_plan.h"
#include "sc_main/bench_run.h"

namespace kernbench {

// Configuration with every default resolved.
struct ResolvedConfiguration {
  std::string machine;  // a topology.yaml
  NamesAndTexts ccl;    // settings of the collectives, by key
};

// Numbers and truth values as numbers; a key that the configuration of the point lacks has no
// column. "ccl:defaults.KEY" is the value in effect for the configured algorithm.
SummaryColumns key_columns(const std::vector<PlanColumn>& keys,
                           const ResolvedConfiguration& configuration);

// Keys of a plan that the first point lacks, or that are sections. None if its configuration is not
// valid: then the point fails.
std::vector<ConfigIssue> key_issues(const std::vector<PlanColumn>& keys, const RunOptions& first,
                                    const Catalogue& catalogue);

}  // namespace kernbench
