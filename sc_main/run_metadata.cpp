#include "sc_main/run_metadata.h"

#include <fmt/format.h>

#include "sc_main/build_info.h"
#include "sc_main/result_files.h"

namespace kernbench {
NamesAndTexts parameter_texts(const Bench& bench, const Attributes& resolved) {
  NamesAndTexts texts;
  for (const Parameter& parameter : bench.parameters)
    texts.emplace_back(parameter.name(),
                       format_value(resolved.values().find(parameter.name())->second));
  return texts;
}

std::string device_text(const Bench& bench, const RunOptions& options) {
  return bench.per_device ? options.device : "chosen by the bench";
}

RunMetadata metadata_of(const Invocation& invocation, const Bench& bench,
                        const NamesAndTexts& parameters, const RunOptions& options,
                        const char* data_mode, const CclSettings& ccl, const std::string& plugins,
                        const std::string& resolved) {
  std::string run = bench.name;
  for (const auto& [name, value] : parameters) run += fmt::format(" {}={}", name, value);
  NamesAndTexts facts{{"topology", options.machine.topology_path()},
                      {"bench", run},
                      {"device", device_text(bench, options)},
                      {"seed", std::to_string(options.seed)},
                      {"data", data_mode},
                      {"ccl", ccl.str()}};
  if (!plugins.empty()) facts.emplace_back("plug-ins", plugins);
  return {version_text(), invocation.line(), configuration_text(invocation, facts, resolved),
          facts};
}

std::string computing_components(const Graph& graph, const ComponentRegistry& registry) {
  std::string first;
  std::size_t more = 0;
  for (const Node& node : graph.nodes()) {
    const Implementation* const implementation = registry.find(node.impl());
    if (implementation == nullptr || !implementation->computes_values) continue;
    if (first.empty()) {
      first = node.name;
    } else {
      ++more;
    }
  }
  return more == 0 ? first : fmt::format("{} and {} more", first, more);
}

}  // namespace kernbench
