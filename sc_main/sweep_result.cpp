#include "sc_main/sweep_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/output/text_layout.h"
#include "platform/sweep/expression.h"
#include "platform/sweep/sweep_columns.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

struct Failure {
  std::uint64_t point;
  std::string label, message;
};

std::vector<Failure> failures_of(const SweepFile& file,
                                 const std::vector<RequestedPoint>& requested, std::size_t most) {
  std::map<std::uint64_t, std::string> labels;
  for (const RequestedPoint& each : requested) labels[each.number] = each.label;
  std::vector<Failure> failures;
  for (auto& [point, message] : file.failures(most))
    failures.push_back({point, labels[point], std::move(message)});
  return failures;
}

// Failures with the same first line of their message.
struct FailureGroup {
  Failure first;  // with that line alone
  std::size_t count = 0;
};

std::vector<FailureGroup> groups_of(std::vector<Failure> failures) {
  std::vector<FailureGroup> groups;
  std::map<std::string, std::size_t> index;
  for (Failure& each : failures) {
    each.message.resize(std::min(each.message.find('\n'), each.message.size()));
    const auto [found, is_new] = index.try_emplace(each.message, groups.size());
    if (is_new) groups.push_back({std::move(each), 0});
    ++groups[found->second].count;
  }
  return groups;
}

struct Counts {
  std::uint64_t ok = 0, until = 0, failed = 0;
  std::uint64_t missing(std::uint64_t requested) const { return requested - ok - until - failed; }
};

void print_summary(const SweepFile& file, const std::vector<RequestedPoint>& requested,
                   const SweepProgress& progress, const Counts& counts) {
  constexpr std::size_t most_groups = 5;
  const std::uint64_t failed = counts.failed, missing = counts.missing(requested.size());
  std::string text =
      fmt::format("points             {}: {} ok, {} failed", requested.size(), counts.ok, failed);
  if (counts.until > 0) text += fmt::format(", {} stopped by until", counts.until);
  if (missing > 0) text += fmt::format(", {} not run", missing);
  if (progress.before > 0) text += fmt::format("; {} done before", progress.before);
  std::cout << text << '\n';
  std::vector<FailureGroup> groups = groups_of(failures_of(file, requested, failed));
  const std::size_t shown = std::min(groups.size(), most_groups);
  std::size_t points = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [first, count] = groups[i];
    points += count;
    std::cout << fitted(
        fmt::format("  point {} ({}){}: {}\n", first.point, first.label,
                    count == 1 ? "" : fmt::format(" and {} more", count - 1), first.message),
        4);
  }
  if (failed > points)
    std::cout << fmt::format("  {} more failed points are in the results\n", failed - points);
  std::cout << fmt::format("results            {}, {}\n", file.path(), csv_next_to(file.path()));
  if (progress.run > 0)
    std::cout << fmt::format(
        "host               {:.3f} s, {:.1f} points/s, {:.3f} s of CPU in workers\n",
        progress.wall_s, static_cast<double>(progress.run) / progress.wall_s, progress.cpu_s);
}

void print_json(const SweepFile& file, const std::vector<RequestedPoint>& requested,
                const SweepProgress& progress, const Counts& counts) {
  Json json{{"points", requested.size()},
            {"ok", counts.ok},
            {"until", counts.until},
            {"failed", counts.failed},
            {"not_run", counts.missing(requested.size())},
            {"done_before", progress.before},
            {"results", file.path()},
            {"csv", csv_next_to(file.path())},
            {"failures", Json::array()}};
  for (const Failure& each : failures_of(file, requested, counts.failed))
    json["failures"].push_back(
        {{"point", each.point}, {"label", each.label}, {"message", each.message}});
  json["host"] = {{"wall_s", progress.wall_s}, {"workers_cpu_s", progress.cpu_s}};
  std::cout << json_text(json, 2) << '\n';
}

}  // namespace

int print_points(const SweepPlan& plan, const SweepPoints& points, const SweepShard& shard,
                 SweepFormat output) {
  std::vector<Table::Column> columns{Table::Column("point", "point").right()};
  for (const PlanAxis& axis : plan.axes) columns.emplace_back(setting_column(axis.name), axis.name);
  Table table("points", std::move(columns));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!shard.has(i + 1)) continue;
    Table::Row row{std::uint64_t{i + 1}};
    for (const std::string& value : points.axis_values(i)) {
      const std::optional<double> number = number_of(value);
      row.push_back(number && output == SweepFormat::json ? Cell(NumberCell{*number})
                                                          : Cell(value));
    }
    table.add(std::move(row));
  }
  constexpr std::size_t most_rows = 40;
  const std::string all = fmt::format(
      "{} point{}{}", points.total(), points.total() == 1 ? "" : "s",
      points.is_complete() ? ""
                           : fmt::format("{}; the first {} are listed",
                                         plan.where ? " before the condition" : "", points.size()));
  if (output == SweepFormat::json) {
    Json json{{"points", points.total()}, {"listed", table.json()}};
    std::cout << json_text(json, 2) << '\n';
  } else if (output == SweepFormat::csv) {
    std::cout << table.csv();
    if (!points.is_complete()) std::cerr << "kernbench: " << all << '\n';
  } else {
    std::cout << table.text("", most_rows, Table::Cut::middle)
              << fmt::format("\n{}{}\n", all,
                             shard.of > 1 ? fmt::format(", of which this shard has {}",
                                                        shard.share_of(points.total()))
                                          : "");
  }
  return exit_done;
}

void check_derived(const SweepPlan& plan) {
  for (const PlanExpression& each : plan.derived) {
    try {
      Expression::unknown_name(each.text, {});
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: derived.{}: {}", each.place.file, each.place.line,
                                   each.name, error.what()));
    }
  }
}

void check_column_names(const SweepPlan& plan, const std::vector<std::string>& summary) {
  const std::map<std::string, std::string> named = plan.named_columns();
  if (named.empty()) return;
  for (const std::string& name : summary) {
    const auto found = named.find(folded_name(name));
    if (found != named.end())
      throw UsageError(
          fmt::format("{}: {} has the name of a column of every point, {}{}: name it otherwise",
                      plan.path, found->second, quote(name),
                      folded_name(name) == name ? "" : "; names in SQL have no case"));
  }
}

int conclude_sweep(SweepFile& file, const std::vector<RequestedPoint>& requested,
                   const std::vector<PlanExpression>& derived, const SweepProgress& progress,
                   SweepFormat output) {
  const Counts counts{file.count("ok"), file.count("until"), file.count("failed")};
  const std::vector<std::string> faults = file.define_results(derived);
  file.write_csv(csv_next_to(file.path()));
  if (output == SweepFormat::json) print_json(file, requested, progress, counts);
  if (output == SweepFormat::text) print_summary(file, requested, progress, counts);
  std::cout << std::flush;
  for (const std::string& fault : faults)
    std::cerr << "kernbench: " << fault << "; the results are without it\n";
  if (progress.interrupted)
    std::cerr << fmt::format("kernbench: interrupted; the same command runs the other {} points\n",
                             counts.missing(requested.size()));
  // A column may be one of the points of another shard.
  const bool is_shard = fact_of(file.facts(), "shard") != "1/1";
  const bool complete =
      counts.ok + counts.until == requested.size() && (faults.empty() || is_shard);
  return complete ? exit_done : exit_failed;
}

}  // namespace kernbench
