#include "sc_main/sweep_sensitivity.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"
#include "platform/sweep/sensitivity_table.h"
#include "sc_main/sensitivity_keys.h"
#include "sc_main/sweep_point.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const VariedKey& key) {
  auto keys = Json::array(), variations = Json::array();
  for (const PlanValue& each : key.keys)
    keys.push_back(Json::array({each.kind, each.key, each.value}));
  for (const Variation& each : key.variations)
    variations.push_back(Json::array({each.side, each.values, each.is_step}));
  return {{"keys", std::move(keys)},
          {"unit", key.unit},
          {"variations", std::move(variations)},
          {"fault", key.fault}};
}

VariedKey key_of(const Json& json) {
  VariedKey key{{}, json["unit"], {}, json["fault"]};
  for (const Json& each : json["keys"])
    key.keys.push_back({each[0].get<PlanKeyKind>(), each[1], each[2], {}});
  for (const Json& each : json["variations"])
    key.variations.push_back({each[0].get<Variation::Side>(),
                              each[1].get<std::vector<std::string>>(), each[2].get<bool>()});
  return key;
}

std::vector<VariedKey> keys_of(const SweepPlan& plan, const std::vector<PlanValue>& settings,
                               const std::vector<std::string>& patterns, double step) {
  const std::string value = value_of_process(plan.path + ": the base point", [&] {
    Json json;
    try {
      json["keys"] = Json::array();
      for (const VariedKey& key : keys_around(words_of_point(settings), patterns, step))
        json["keys"].push_back(json_of(key));
    } catch (const std::exception& error) {
      json["fault"] = text_of(error);
    }
    return json_text(json);
  });
  const Json json = Json::parse(value);
  if (json.contains("fault")) throw UsageError(json["fault"].get<std::string>());
  std::vector<VariedKey> keys;
  for (const Json& each : json["keys"]) keys.push_back(key_of(each));
  return keys;
}

}  // namespace

void SensitivityOptions::add_to(CLI::App& command) {
  command
      .add_option("--sensitivity", keys,
                  "Vary single keys around the first point of the plan and print their effects, "
                  "the largest first: parameters of the bench, keys of the topology, ccl:KEY; "
                  "patterns with * (default: `sensitivity` of the plan)")
      ->type_name("KEY")
      ->expected(0, -1);
  command
      .add_option("--step", step_percent,
                  "With --sensitivity: change of a key, in percent; keys that admit no such step "
                  "take neighbouring values")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.01, 50.0))
      ->capture_default_str();
  command.add_option("--of", of, "With --sensitivity: column of the results whose change is shown")
      ->type_name("COLUMN")
      ->capture_default_str();
}

std::vector<std::string> SensitivityOptions::words() const {
  std::vector<std::string> words{"--step", decimal_text(step_percent, 12), "--sensitivity"};
  words.insert(words.end(), keys.begin(), keys.end());
  return words;
}

Sensitivity::Sensitivity(const SweepPlan& plan, const SensitivityOptions& options,
                         std::uint64_t max_points)
    : options_(options) {
  std::vector<std::string> patterns = options.keys;
  patterns.erase(std::remove(patterns.begin(), patterns.end(), ""), patterns.end());
  if (patterns.empty()) patterns = plan.sensitivity;
  if (patterns.empty())
    throw UsageError(
        "sweep: --sensitivity without a key, and the plan has no list `sensitivity`; e.g. "
        "--sensitivity 'cube.links.*' M");
  std::vector<std::string> base;
  if (!plan.axes.empty()) base = SweepPoints(plan, max_points).axis_values(0);
  base_label_ = plan.label_of(base);
  keys_ = keys_of(plan, plan.settings_of(base), patterns, options.step_percent / 100);
  if (std::all_of(keys_.begin(), keys_.end(),
                  [](const VariedKey& key) { return key.variations.empty(); }))
    throw UsageError(
        fmt::format("sensitivity: no chosen key has a different value that is "
                    "accepted:\n{}",
                    without_variation()));
  plan_ = sensitivity_plan(plan, base, keys_);
}

std::string Sensitivity::without_variation() const {
  std::string text;
  for (const VariedKey& key : keys_)
    if (key.variations.empty())
      text += fitted(
          fmt::format("  {}: {}\n", key.name(), key.fault.empty() ? "it has one value" : key.fault),
          4);
  return text;
}

int Sensitivity::print(const std::string& results, SweepFormat format) const {
  const auto measured = variation_results(results, options_.of);
  const Table table = sensitivity_table(keys_, options_.of, measured);
  const double base = *measured.at(base_variation).value;
  if (format == SweepFormat::json) {
    Json without = Json::object();
    for (const VariedKey& key : keys_)
      if (key.variations.empty()) without[key.name()] = key.fault;
    std::cout << json_text(Json{{"of", options_.of},
                                {"step_percent", options_.step_percent},
                                {"base_point", base_label_},
                                {"at_base", base},
                                {"sensitivity", table.json()},
                                {"without_variation", std::move(without)},
                                {"results", results}},
                           2)
              << '\n';
  } else if (format == SweepFormat::csv) {
    std::cout << table.csv();
  } else {
    std::cout << fmt::format(
                     "\n{} at the base point{}: {}; values: step of {} %, neighbours, or "
                     "a choice\n",
                     options_.of, base_label_.empty() ? "" : " (" + base_label_ + ")",
                     decimal_text(base, 7), decimal_text(options_.step_percent, 6))
              << table.text();
    const std::string without = without_variation();
    if (!without.empty())
      std::cout << "no different value is accepted (KEY+KEY changes keys together):\n" << without;
  }
  return exit_done;
}

}  // namespace kernbench
