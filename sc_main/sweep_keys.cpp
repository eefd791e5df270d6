#include "sc_main/sweep_keys.h"

#include <fmt/format.h>

#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/config/resolved_config.h"
#include "platform/sweep/axis_values.h"
#include "sc_main/bench_catalogue.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* ccl_prefix = "ccl:defaults.";

void add_paths(const ConfigNode& node, const std::string& path, std::vector<std::string>& paths) {
  if (node.kind == ConfigNode::Kind::scalar) paths.push_back(path);
  const std::string prefix = path.empty() ? "" : path + '.';
  for (const ConfigEntry& entry : node.entries) add_paths(entry.value, prefix + entry.key, paths);
  for (std::size_t i = 0; i < node.items.size(); ++i)
    add_paths(node.items[i], fmt::format("{}{}", prefix, i), paths);
}

// The machine as a tree, and the settings of collectives.
class Values {
 public:
  explicit Values(const ResolvedConfiguration& configuration) : ccl_(configuration.ccl) {
    std::vector<ConfigIssue> ignored;  // the text is our own
    machine_ = parse_config_value(configuration.machine, {}, "", ignored);
  }

  std::optional<std::string> find(const std::string& key) const {
    const ConfigNode* node = machine_.at(key);
    if (node != nullptr && node->kind == ConfigNode::Kind::scalar) return node->text;
    for (const auto& [name, value] : ccl_)
      if (ccl_prefix + name == key) return value;
    return std::nullopt;
  }
  bool is_section(const std::string& key) const { return machine_.at(key) != nullptr; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    add_paths(machine_, "", names);
    for (const auto& [name, value] : ccl_) names.push_back(ccl_prefix + name);
    return names;
  }

 private:
  ConfigNode machine_;
  const NamesAndTexts& ccl_;
};

Json value_of(const std::string& text) {
  if (text == "true" || text == "false") return text == "true" ? 1 : 0;
  const std::optional<double> number = number_of(text);
  return number ? Json(*number) : Json(text);
}

// None: the configuration is not valid, or too large for the memory.
std::optional<ResolvedConfiguration> configuration_of(const MachineOptions& machine,
                                                      const Catalogue& catalogue) try {
  const MachineSpec spec = machine.load_spec(catalogue.components);
  const CclFile ccl = machine.load_ccl(*catalogue.algorithms);
  return ResolvedConfiguration{resolved_config(spec, catalogue.components),
                               resolve(ccl, *catalogue.algorithms).values()};
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace

SummaryColumns key_columns(const std::vector<PlanColumn>& keys,
                           const ResolvedConfiguration& configuration) {
  SummaryColumns columns;
  if (keys.empty()) return columns;
  const Values values(configuration);
  for (const PlanColumn& column : keys)
    if (const auto text = values.find(column.key))
      columns.emplace_back(column.name, value_of(*text));
  return columns;
}

std::vector<ConfigIssue> key_issues(const std::vector<PlanColumn>& keys, const RunOptions& first,
                                    const Catalogue& catalogue) {
  std::vector<ConfigIssue> issues;
  if (keys.empty()) return issues;
  const std::optional<ResolvedConfiguration> configuration =
      configuration_of(first.machine, catalogue);
  if (!configuration) return issues;
  const Values values(*configuration);
  for (const PlanColumn& column : keys) {
    const auto fault = [&](std::string message) {
      issues.push_back(issue_at(column.place, "keys." + column.name, std::move(message)));
    };
    if (values.find(column.key)) continue;
    if (values.is_section(column.key)) {
      fault(fmt::format("{} is a section, allowed is a key with one value", quote(column.key)));
    } else {
      fault(fmt::format("the first point has no key {}{}; its keys: kernbench run --print-config",
                        quote(column.key), did_you_mean(column.key, values.names())));
    }
  }
  return issues;
}

}  // namespace kernbench
