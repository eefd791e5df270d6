// Facts of a run of a bench, beside the machine: what was chosen, for the report, the configuration
// file and the operation log.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/events/op_table.h"
#include "platform/topology/graph.h"
#include "sc_main/command.h"
#include "sc_main/kernel_report.h"
#include "sc_main/run_options.h"
#include "sw/benches/bench.h"
#include "sw/collectives/ccl_settings.h"

namespace kernbench {

using NamesAndTexts = std::vector<std::pair<std::string, std::string>>;

// Of the bench, in the order of declaration.
NamesAndTexts parameter_texts(const Bench& bench, const Attributes& resolved);

NamesAndTexts facts_of(const Bench& bench, const NamesAndTexts& parameters,
                       const RunOptions& options, const char* data_mode, const CclSettings& ccl,
                       const std::string& plugins);

// The components that compute values themselves, for which data are eager: "sip0.cube0.pe0.pe_gemm
// and 7 more". Empty: none.
std::string computing_components(const Graph& graph, const ComponentRegistry& registry);

// Of an operation log, with what the program says about its launches.
OpTable::Meta op_log_meta(const Invocation& invocation, const std::string& configuration,
                          const NamesAndTexts& facts, const std::vector<KernelReport>& kernels);

}  // namespace kernbench
