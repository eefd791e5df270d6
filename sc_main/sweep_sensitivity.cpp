#include "sc_main/sweep_sensitivity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
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
  std::vector<std::string> words{"--step", decimal_text(step_percent, 12), "--of", of,
                                 "--sensitivity"};
  words.insert(words.end(), keys.begin(), keys.end());
  return words;
}

void SensitivityOptions::check_column(const SweepPlan& plan,
                                      std::vector<std::string> columns) const {
  for (const PlanExpression& each : plan.derived) columns.push_back(each.name);
  if (std::find(columns.begin(), columns.end(), of) == columns.end())
    throw UsageError(fmt::format("--of {}: the results have no such column{}", quote(of),
                                 did_you_mean(of, columns)));
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
        "--sensitivity 'cube.links.*_bw_gbs'");
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

// Keys whose values are refused for the same reason, apart from their own name, share a line.
std::string Sensitivity::without_variation() const {
  constexpr std::size_t most_reasons = 10, most_keys = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  std::size_t count = 0;
  for (const VariedKey& key : keys_) {
    if (!key.variations.empty()) continue;
    ++count;
    const std::string name = key.name();
    std::string reason = key.fault.empty() ? "it has one value" : key.fault;
    if (reason.compare(0, name.size() + 2, name + ": ") == 0) reason.erase(0, name.size() + 2);
    const auto same = std::find_if(reasons.begin(), reasons.end(),
                                   [&](const auto& each) { return each.first == reason; });
    if (same == reasons.end()) {
      reasons.push_back({reason, {name}});
    } else {
      same->second.push_back(name);
    }
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < std::min(reasons.size(), most_reasons); ++i) {
    auto& [reason, names] = reasons[i];
    const std::size_t keys = names.size();
    shown += keys;
    names.resize(std::min(keys, most_keys));
    text +=
        fitted(fmt::format(
                   "  {}{}: {}\n", fmt::join(names, ", "),
                   keys > names.size() ? fmt::format(" and {} more keys", keys - names.size()) : "",
                   reason),
               4);
  }
  if (count > shown)
    text += fmt::format("  {} more keys, for {} other reasons: --json lists them\n", count - shown,
                        reasons.size() - most_reasons);
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
    // The table is last: the reasons may fill a screen.
    const std::string without = without_variation();
    if (!without.empty())
      std::cout << "\nno different value is accepted (KEY+KEY changes keys together):\n" << without;
    std::cout << fmt::format(
                     "\n{} at the base point{}: {}; values: step of {} %, neighbours, or "
                     "a choice\n",
                     options_.of, base_label_.empty() ? "" : " (" + base_label_ + ")",
                     decimal_text(base, 7), decimal_text(options_.step_percent, 6))
              << table.text();
  }
  return exit_done;
}

}  // namespace kernbench
