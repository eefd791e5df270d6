#include "platform/validate/validation_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "platform/output/table.h"
#include "platform/probe/child_process.h"
#include "platform/topology/build_graph.h"

namespace kernbench {
namespace {

nlohmann::ordered_json json_of(const ValidationCheck& check) {
  return {{"quantity", check.quantity},
          {"formula", check.formula},
          {"unit", check.unit},
          {"expected", check.expected},
          {"simulated", check.simulated},
          {"tolerance", check.tolerance},
          {"allowance", check.allowance},
          {"relation", name_of(check.relation)},
          {"remark", check.remark},
          {"published", check.published ? nlohmann::ordered_json(*check.published) : nullptr}};
}

ValidationCheck check_of(const nlohmann::ordered_json& json) {
  std::optional<double> published;
  if (!json.at("published").is_null()) published = json.at("published").get<double>();
  return {json.at("quantity"),  json.at("formula"),
          json.at("unit"),      json.at("expected"),
          json.at("simulated"), json.at("tolerance"),
          json.at("allowance"), parse_relation(json.at("relation")),
          json.at("remark"),    published};
}

std::string run_in_child(const ValidationCase& reference, const ComponentRegistry& registry,
                         const TopologyPath& topology_path) {
  MachineSpec spec = load_machine(topology_path(reference.topology), reference.overrides, registry);
  spec.source_path.clear();  // no cache next to the shipped file
  PlatformOptions options;
  options.tear_down = false;
  Platform platform(build_graph(std::move(spec)), registry, options);
  auto checks = nlohmann::ordered_json::array();
  for (const ValidationCheck& check : reference.run(platform)) checks.push_back(json_of(check));
  return checks.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number(double value) { return fmt::format("{:.6f}", value); }

// Sign between expected and simulated, read from the right: the simulated number is ...
const char* sign_of(Relation relation) {
  switch (relation) {
    case Relation::at_least:
      return ">=";
    case Relation::at_most:
      return "<=";
    default:
      return "=";
  }
}

// "77", or "963 (371.1)": the published figure, and the simulated one if it differs.
std::string published_text(const ValidationCheck& check) {
  if (!check.published) return "";
  if (check.as_published()) return fmt::format("{:g}", *check.published);
  return fmt::format("{:g} ({:.4g})", *check.published, check.simulated);
}

std::string check_text(const ValidationCheck& check) {
  std::string text = fmt::format("  {}: {} {} {}", check.quantity, sign_of(check.relation),
                                 check.formula, check.unit);
  if (!check.allowance.empty()) text += "; tolerance: " + check.allowance;
  if (!check.remark.empty()) text += "; " + check.remark;
  return text + "\n";
}

}  // namespace

bool ValidationOutcome::passed() const {
  return !checks.empty() &&
         std::all_of(checks.begin(), checks.end(),
                     [](const ValidationCheck& check) { return check.passed(); });
}

std::vector<ValidationOutcome> run_validation(const std::vector<ValidationCase>& cases,
                                              const ComponentRegistry& registry,
                                              const TopologyPath& topology_path) {
  std::vector<ValidationOutcome> outcomes;
  for (const ValidationCase& reference : cases) {
    ValidationOutcome outcome;
    outcome.reference = reference;
    try {
      ChildProcess child([&] { return run_in_child(reference, registry, topology_path); });
      for (const auto& check : nlohmann::ordered_json::parse(child.value()))
        outcome.checks.push_back(check_of(check));
    } catch (const Error& error) {
      outcome.failure = error.what();
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

std::string validation_text(const std::vector<ValidationOutcome>& outcomes) {
  constexpr auto right = Table::Align::right;
  std::string text;
  std::size_t passed = 0;
  const bool published =
      std::any_of(outcomes.begin(), outcomes.end(), [](const ValidationOutcome& outcome) {
        return std::any_of(
            outcome.checks.begin(), outcome.checks.end(),
            [](const ValidationCheck& check) { return check.published.has_value(); });
      });
  std::vector<Table::Column> columns{{"          reference"},
                                     {"quantity"},
                                     {"unit"},
                                     {"must be"},
                                     {"expected", right},
                                     {"simulated", right},
                                     {"deviation", right},
                                     {"tolerance", right}};
  if (published) columns.insert(columns.begin() + 3, {"published (here)", right});
  Table table(columns);
  const auto add = [&](std::vector<std::string> row, const std::string& figure) {
    if (published) row.insert(row.begin() + 3, figure);
    table.add(row_of(std::move(row)));
  };
  for (const ValidationOutcome& outcome : outcomes) {
    passed += outcome.passed() ? 1 : 0;
    const std::string name = fmt::format("{}/{}", outcome.reference.group, outcome.reference.name);
    if (!outcome.failure.empty())
      add({"[x] FAIL  " + name, "the run has failed, see below", "", "", "", "", "", ""}, "");
    for (const ValidationCheck& check : outcome.checks) {
      add({(check.passed() ? "[v] PASS  " : "[x] FAIL  ") + name, check.quantity, check.unit,
           sign_of(check.relation), number(check.expected), number(check.simulated),
           number(check.deviation()), number(check.tolerance)},
          published_text(check));
    }
  }
  text += table.text() + "\n";
  for (const ValidationOutcome& outcome : outcomes) {
    text += fmt::format("{}/{}\n  {}\n", outcome.reference.group, outcome.reference.name,
                        outcome.reference.statement);
    for (const ValidationCheck& check : outcome.checks) text += check_text(check);
    if (!outcome.failure.empty()) text += fmt::format("  failed: {}\n", outcome.failure);
    text += fmt::format("  source: {}\n", outcome.reference.source);
  }
  return text + fmt::format("\n{} of {} references hold\n", passed, outcomes.size());
}

nlohmann::ordered_json validation_json(const std::vector<ValidationOutcome>& outcomes) {
  auto list = nlohmann::ordered_json::array();
  for (const ValidationOutcome& outcome : outcomes) {
    nlohmann::ordered_json entry;
    entry["name"] = outcome.reference.name;
    entry["group"] = outcome.reference.group;
    entry["statement"] = outcome.reference.statement;
    entry["source"] = outcome.reference.source;
    entry["topology"] = outcome.reference.topology;
    entry["set"] = nlohmann::ordered_json::array();
    for (const Override& each : outcome.reference.overrides)
      entry["set"].push_back(fmt::format("{}={}", each.key, each.value));
    entry["checks"] = nlohmann::ordered_json::array();
    for (const ValidationCheck& check : outcome.checks) {
      entry["checks"].push_back(json_of(check));
      entry["checks"].back()["deviation"] = check.deviation();
      entry["checks"].back()["verdict"] = check.passed() ? "pass" : "fail";
    }
    if (!outcome.failure.empty()) entry["failure"] = outcome.failure;
    entry["verdict"] = outcome.passed() ? "pass" : "fail";
    list.push_back(std::move(entry));
  }
  return {{"references", list}};
}

}  // namespace kernbench
