#include "platform/web/served_sweep.h"

#include <filesystem>

#include "models/base/errors.h"
#include "platform/figure/figure.h"
#include "platform/page/sweep_page.h"
#include "platform/sweep/result_figure.h"
#include "platform/sweep/sweep_content.h"
#include "platform/web/web_tables.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* cell_kinds[] = {"number", "text", "lines", "command", "mark"};

Json json_of(const PageTable& table) {
  Json columns = Json::array(), rows = Json::array();
  for (const PageColumn& column : table.columns)
    columns.push_back({{"name", column.name},
                       {"unit", column.unit},
                       {"kind", cell_kinds[static_cast<std::size_t>(column.kind)]},
                       {"further", column.is_further}});
  const std::size_t shown = std::min(table.rows, most_shown_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    Json row = Json::array();
    for (const PageColumn& column : table.columns) row.push_back(column.cells[i]);
    rows.push_back(std::move(row));
  }
  return {{"name", table.id},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"row_count", table.rows},
          {"left_out", table.rows - shown}};
}

// Title and caption are texts of the page.
Json json_of(const PlanFigure& plan, const std::string& path) {
  Json json{{"title", plan.title}, {"caption", plan.text}, {"svg", Json()}, {"fault", Json()}};
  try {
    Figure figure = figure_of(plan, {path});
    json["title"] = figure.title;
    json["caption"] = figure.caption;
    figure.title.clear();
    figure.caption.clear();
    json["svg"] = figure_svg(figure);
  } catch (const Error& error) {
    json["fault"] = error.what();
  }
  return json;
}

}  // namespace

bool is_sweep_file(const std::string& path) {
  try {
    return fact_of(facts_of(open_read_only(path)), "kind") == sweep_file_kind;
  } catch (const std::exception&) {
    return false;
  }
}

ServedSweep::ServedSweep(std::string path) : path_(std::move(path)) {
  const SweepContent content = read_sweep(path_);
  title_ = fact_of(content.facts, "title");
  if (title_.empty())
    title_ = std::filesystem::path(fact_of(content.facts, "plan_path")).stem().string();
  if (title_.empty()) title_ = std::filesystem::path(path_).filename().string();
}

Json ServedSweep::json() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const SweepResults results = read_results(path_);
  SweepPage page;
  page.title = title_;
  page.text = results.fact("question");
  page.results_csv = path_;
  Json figures = Json::array();
  for (const PlanFigure& figure : figures_of_results(path_)) {
    figures.push_back(json_of(figure, path_));
    for (const auto* names : {&figure.y, &figure.series})
      page.figure_columns.insert(page.figure_columns.end(), names->begin(), names->end());
    page.figure_columns.insert(page.figure_columns.end(), {figure.x, figure.cells, figure.labels});
  }
  Json tables = Json::array();
  if (results.rows() > 0) tables.push_back(json_of(sweep_table(page, results)));
  return {{"title", title_},
          {"text", page.text},
          {"points", results.requested},
          {"finished", results.rows()},
          {"tables", std::move(tables)},
          {"figures", std::move(figures)}};
}

}  // namespace kernbench
