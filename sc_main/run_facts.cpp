#include "sc_main/run_facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/config/yaml_as_json.h"
#include "platform/report/json_text.h"
#include "sc_main/build_info.h"

namespace kernbench {
namespace {

// Metadata of the launches, given by the program; empty without any.
std::string launches_json(const std::vector<KernelReport>& kernels) {
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();
  for (const KernelReport& kernel : kernels) {
    if (!kernel.meta.empty())
      launches.push_back(
          {{"kernel", kernel.kernel}, {"device", kernel.devices}, {"meta", kernel.meta}});
  }
  return launches.empty() ? "" : json_text(launches);
}

}  // namespace

NamesAndTexts parameter_texts(const Bench& bench, const Attributes& resolved) {
  NamesAndTexts texts;
  for (const Parameter& parameter : bench.parameters)
    texts.emplace_back(parameter.name(),
                       format_value(resolved.values().find(parameter.name())->second));
  return texts;
}

NamesAndTexts facts_of(const Bench& bench, const NamesAndTexts& parameters,
                       const RunOptions& options, const char* data_mode, const CclSettings& ccl,
                       const std::string& plugins) {
  std::string run = bench.name;
  for (const auto& [name, value] : parameters) run += fmt::format(" {}={}", name, value);
  NamesAndTexts facts{{"topology", options.machine.topology_path()},
                      {"bench", run},
                      {"device", options.device},
                      {"seed", std::to_string(options.seed)},
                      {"data", data_mode},
                      {"ccl", ccl.str()}};
  if (!plugins.empty()) facts.emplace_back("plug-ins", plugins);
  return facts;
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

OpTable::Meta op_log_meta(const Invocation& invocation, const std::string& configuration,
                          const NamesAndTexts& facts, const std::vector<KernelReport>& kernels) {
  OpTable::Meta meta{{"program_version", version_text()},
                     {"command_line", invocation.line()},
                     {"configuration", yaml_as_json(configuration)}};
  meta.insert(meta.end(), facts.begin(), facts.end());
  if (const std::string launches = launches_json(kernels); !launches.empty())
    meta.emplace_back("launches", launches);
  return meta;
}

}  // namespace kernbench
