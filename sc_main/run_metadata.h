// Metadata of a run of a bench: the choices that determined it, for its report and the files next
// to its results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/report/report.h"
#include "platform/topology/graph.h"
#include "sc_main/command.h"
#include "sc_main/run_options.h"
#include "sw/benches/bench.h"
#include "sw/collectives/ccl_settings.h"

namespace kernbench {

using NamesAndTexts = std::vector<std::pair<std::string, std::string>>;

// Parameters of the bench, in the order of declaration.
NamesAndTexts parameter_texts(const Bench& bench, const Attributes& resolved);

std::string device_text(const Bench& bench, const RunOptions& options);

// `resolved`: the machine with all defaults.
RunMetadata metadata_of(const Invocation& invocation, const Bench& bench,
                        const NamesAndTexts& parameters, const RunOptions& options,
                        const char* data_mode, const CclSettings& ccl, const std::string& plugins,
                        const std::string& resolved);

// Components that compute values themselves and require eager data: "sip0.cube0.pe0.pe_gemm and 7
// more". Empty: none.
std::string computing_components(const Graph& graph, const ComponentRegistry& registry);

}  // namespace kernbench
