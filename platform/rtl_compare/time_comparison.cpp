#include "platform/rtl_compare/time_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/traffic/traffic_rows.h"

namespace kernbench {

Distribution distribution_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto rank = [&values](double share) {
    const double place = std::ceil(share * static_cast<double>(values.size()));
    return values.at(static_cast<std::size_t>(std::max(place, 1.0)) - 1);
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.front(),
          rank(0.5),
          rank(0.95),
          values.back(),
          sum / static_cast<double>(values.size()),
          values.size()};
}

std::vector<std::string> TimeComparison::groups() const {
  std::vector<std::string> names;
  for (const ComparedWork& work : works) {
    if (std::find(names.begin(), names.end(), work.group) == names.end())
      names.push_back(work.group);
  }
  return names;
}

Distribution TimeComparison::ratios(std::size_t model, const std::string& group) const {
  std::vector<double> values;
  for (const ComparedWork& work : works) {
    if (group.empty() || work.group == group) values.push_back(work.ratio(model));
  }
  return distribution_of(std::move(values));
}

bool TimeComparison::data_equal() const {
  return std::all_of(works.begin(), works.end(),
                     [](const ComparedWork& work) { return work.difference.empty(); });
}

namespace {

using Json = nlohmann::ordered_json;
constexpr auto right = Table::Align::right;

std::string ratio_text(double ratio) { return fmt::format("{:.4f}", ratio); }

bool has_cycles(const TimeComparison& comparison) {
  return std::any_of(comparison.works.begin(), comparison.works.end(),
                     [](const ComparedWork& work) { return work.cycles.has_value(); });
}

std::string works_text(const TimeComparison& comparison) {
  const bool cycles = has_cycles(comparison), values = !comparison.values.empty();
  std::vector<Table::Column> columns{{comparison.kind == "tile" ? "tile MxKxN" : comparison.kind}};
  if (cycles) columns.push_back({"cycles", right});
  columns.push_back({comparison.implementation + " ns", right});
  for (const std::string& model : comparison.models) {
    columns.push_back({model + " ns", right});
    columns.push_back({"ratio", right});
  }
  if (values) columns.push_back({"data"});
  Table table(columns);
  for (const ComparedWork& work : comparison.works) {
    std::vector<std::string> cells{work.name};
    if (cycles) cells.push_back(work.cycles ? std::to_string(*work.cycles) : "");
    cells.push_back(fixed_ns(work.time));
    for (std::size_t model = 0; model < work.models.size(); ++model) {
      cells.push_back(fixed_ns(work.models[model]));
      cells.push_back(ratio_text(work.ratio(model)));
    }
    if (values) cells.emplace_back(work.difference.empty() ? "equal" : "differs");
    table.add(row_of(std::move(cells)));
  }
  return table.text();
}

// All works, then the groups if there are several.
std::vector<std::string> groups_to_show(const TimeComparison& comparison) {
  std::vector<std::string> groups{""};
  const std::vector<std::string> more = comparison.groups();
  if (more.size() > 1) groups.insert(groups.end(), more.begin(), more.end());
  return groups;
}

std::string distributions_text(const TimeComparison& comparison) {
  Table table({{"ratio to"},
               {"of"},
               {"count", right},
               {"min", right},
               {"p50", right},
               {"p95", right},
               {"max", right},
               {"mean", right}});
  for (std::size_t model = 0; model < comparison.models.size(); ++model) {
    for (const std::string& group : groups_to_show(comparison)) {
      const Distribution ratios = comparison.ratios(model, group);
      table.add({comparison.models[model], group.empty() ? "all" : group,
                 std::to_string(ratios.count), ratio_text(ratios.min), ratio_text(ratios.p50),
                 ratio_text(ratios.p95), ratio_text(ratios.max), ratio_text(ratios.mean)});
    }
  }
  return table.text();
}

}  // namespace

std::string comparison_text(const TimeComparison& comparison) {
  std::string text = works_text(comparison) + "\n" + distributions_text(comparison);
  if (comparison.values.empty()) return text;
  text += fmt::format("\ndata: {}\n", comparison.values);
  for (const ComparedWork& work : comparison.works) {
    if (!work.difference.empty()) text += fmt::format("  {}: {}\n", work.name, work.difference);
  }
  return text;
}

Json comparison_json(const TimeComparison& comparison) {
  Json json{{"implementation", comparison.implementation}, {"kind", comparison.kind}};
  json["works"] = Json::array();
  for (const ComparedWork& work : comparison.works) {
    Json entry{{"name", work.name}, {"group", work.group}};
    for (const auto& [key, value] : work.sizes) entry[key] = value;
    entry["time_ns"] = ns_json(work.time);
    entry["cycles"] = work.cycles ? Json(*work.cycles) : Json();
    entry["models"] = Json::array();
    for (std::size_t model = 0; model < work.models.size(); ++model)
      entry["models"].push_back({{"model", comparison.models[model]},
                                 {"time_ns", ns_json(work.models[model])},
                                 {"ratio", work.ratio(model)}});
    entry["difference"] = work.difference.empty() ? Json() : Json(work.difference);
    json["works"].push_back(std::move(entry));
  }
  json["distributions"] = Json::array();
  for (std::size_t model = 0; model < comparison.models.size(); ++model) {
    for (const std::string& group : groups_to_show(comparison)) {
      const Distribution ratios = comparison.ratios(model, group);
      json["distributions"].push_back({{"model", comparison.models[model]},
                                       {"group", group.empty() ? "all" : group},
                                       {"count", ratios.count},
                                       {"min", ratios.min},
                                       {"p50", ratios.p50},
                                       {"p95", ratios.p95},
                                       {"max", ratios.max},
                                       {"mean", ratios.mean}});
    }
  }
  json["values"] = comparison.values.empty() ? Json() : Json(comparison.values);
  json["data_equal"] = comparison.values.empty() ? Json() : Json(comparison.data_equal());
  return json;
}

}  // namespace kernbench
