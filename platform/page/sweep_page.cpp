#include "platform/page/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "platform/page/html.h"
#include "platform/page/page.h"
#include "platform/page/page_table.h"

namespace kernbench {
namespace {

// Values beyond these would make the page too large to mail: about 5 MB of numbers.
constexpr std::size_t most_further_cells = 600'000;

bool has_value(const ResultValues& column, std::size_t row) {
  return column.is_number ? !std::isnan(column.numbers[row]) : !column.texts[row].empty();
}

// First row with a value, if all rows with one have the same; none: values differ. Failed points
// have no numbers.
std::optional<std::size_t> common_row(const ResultValues& column) {
  std::size_t first = 0;
  while (first + 1 < column.numbers.size() && !has_value(column, first)) ++first;
  for (std::size_t i = first + 1; i < column.numbers.size(); ++i) {
    const bool equal = column.is_number ? column.numbers[i] == column.numbers[first]
                                        : column.texts[i] == column.texts[first];
    if (has_value(column, i) && !equal) return std::nullopt;
  }
  return first;
}

class SweepPageWriter {
 public:
  SweepPageWriter(const SweepPage& page, const SweepResults& results)
      : page_(page), results_(results) {}

  PageTable table(std::string& note) const;
  std::string html() {
    std::string body = html_element("h1", {}, html_escaped(page_.title)) + '\n' + state();
    body += html_paragraphs(page_.text);
    body += contents();
    body += figures() + results() + points() + configurations() + origin();
    return html_page(page_.title, html_element("main", {}, '\n' + body));
  }

 private:
  std::string section(const char* id, const std::string& title, const std::string& content) const {
    return html_element("section", {{"id", id}}, '\n' + html_text("h2", title) + '\n' + content) +
           '\n';
  }

  std::string state() const;
  std::string contents() const;
  std::string figures() const;
  std::string results() const;
  std::string points() const;
  std::string configurations() const;
  std::string origin() const;

  bool is_main(const ResultValues& column) const;
  PageColumn page_column(const ResultValues& column) const;
  void add_further_columns(PageTable& table, std::string& note) const;
  std::string constants() const;
  std::string points_of(std::size_t base) const;

  const SweepPage& page_;
  const SweepResults& results_;
};

// "37 of 50 points: 35 ok, 2 failed, 13 not run: the sweep is not complete".
std::string SweepPageWriter::state() const {
  const auto count = [this](const char* status) {
    const ResultValues* all = results_.find("status");
    return all == nullptr
               ? 0
               : static_cast<std::size_t>(std::count(all->texts.begin(), all->texts.end(), status));
  };
  const std::size_t ok = count("ok"), cut = count("until");
  const std::size_t finished = results_.rows(), failed = finished - ok - cut,
                    missing = results_.requested - finished;
  std::string text = missing > 0 ? fmt::format("{} of {} points", finished, results_.requested)
                                 : fmt::format("{} point{}", finished, finished == 1 ? "" : "s");
  text += fmt::format(": {} ok", ok);
  if (cut > 0) text += fmt::format(", {} stopped by until", cut);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  if (missing > 0) text += fmt::format(", {} not run: the sweep is not complete", missing);
  if (page_.absent > 0)
    text += fmt::format("; {} point{} of the plan {} not in these results", page_.absent,
                        page_.absent == 1 ? "" : "s", page_.absent == 1 ? "is" : "are");
  const bool complete = failed == 0 && missing == 0 && page_.absent == 0;
  return html_text("p", text, {{"class", complete ? "state" : "state incomplete"}}) + '\n';
}

std::string SweepPageWriter::contents() const {
  std::string links;
  const auto add = [&links](const char* id, const char* title) {
    links += html_text("a", title, {{"href", std::string("#") + id}}) + '\n';
  };
  if (!page_.figures.empty()) add("figures", "Figures");
  add("results-section", "Results");
  add("points-section", "Points");
  if (!results_.configurations.bases.empty()) add("configuration", "Configuration");
  add("origin", "Origin");
  return html_element("nav", {}, links) + '\n';
}

// --- Figures

std::string SweepPageWriter::figures() const {
  if (page_.figures.empty()) return "";
  std::string html;
  std::size_t number = 0;
  for (const PageFigure& figure : page_.figures) {
    ++number;
    const std::string picture =
        figure.svg.empty() ? html_text("p", "No picture: " + figure.fault, {{"class", "missing"}})
                           : inline_svg(figure.svg, fmt::format("f{}-", number));
    const std::string title =
        html_text("strong", fmt::format("Figure {}: {}", number, figure.title));
    html += html_element(
                "figure", {},
                '\n' + picture + '\n' +
                    html_element("figcaption", {},
                                 html_element("p", {}, title) + html_paragraphs(figure.caption))) +
            '\n';
  }
  return section("figures", "Figures", html);
}

// --- Results

bool SweepPageWriter::is_main(const ResultValues& column) const {
  if (column.role == "axis" || column.role == "derived") return true;
  if (column.name == "point" || column.name == "status" || column.name == "simulated_ns")
    return true;
  if (column.name == "message")
    return std::any_of(column.texts.begin(), column.texts.end(),
                       [](const std::string& text) { return !text.empty(); });
  return std::find(page_.figure_columns.begin(), page_.figure_columns.end(), column.name) !=
         page_.figure_columns.end();
}

PageColumn SweepPageWriter::page_column(const ResultValues& column) const {
  PageColumn shown;
  shown.name = column.name;
  shown.unit = unit_of_column(column.name);
  shown.kind = column.is_number           ? CellKind::number
               : column.name == "status"  ? CellKind::mark
               : column.name == "message" ? CellKind::lines
                                          : CellKind::text;
  shown.cells = column.is_number ? column_texts(column.numbers) : column.texts;
  return shown;
}

void SweepPageWriter::add_further_columns(PageTable& table, std::string& note) const {
  std::vector<const ResultValues*> further;
  for (const ResultValues& column : results_.columns) {
    if (column.name != "command" && column.name != "message" && !is_main(column) &&
        !common_row(column))
      further.push_back(&column);
  }
  if (further.size() * results_.rows() > most_further_cells) {
    note = html_text(
        "p", fmt::format("{} further columns are in {}.", further.size(), page_.results_csv));
    return;
  }
  for (const ResultValues* column : further) {
    table.columns.push_back(page_column(*column));
    table.columns.back().is_further = true;
  }
}

// Name and value of each column that is the same at all points.
std::string SweepPageWriter::constants() const {
  std::string rows;
  std::size_t count = 0;
  for (const ResultValues& column : results_.columns) {
    const std::optional<std::size_t> row = common_row(column);
    if (column.name == "message" || is_main(column) || !row) continue;
    const PageColumn shown = page_column(column);
    const std::string& value = shown.cells[*row];
    if (value.empty()) continue;
    rows += html_element("tr", {},
                         html_element("th", {{"scope", "row"}}, html_name(column.name)) +
                             html_text("td", value + (shown.unit.empty() ? "" : ' ' + shown.unit)));
    rows += '\n';
    ++count;
  }
  if (count == 0) return "";
  return html_element(
             "details", {},
             html_text("summary", fmt::format("{} column{} with equal values at all points", count,
                                              count == 1 ? "" : "s")) +
                 html_element("table", {{"class", "list"}}, '\n' + rows)) +
         '\n';
}

PageTable SweepPageWriter::table(std::string& note) const {
  PageTable table;
  table.id = "results";
  table.row_noun = "point";
  table.full_file = page_.results_csv;
  table.rows = results_.rows();
  const ResultValues* message = nullptr;
  for (const ResultValues& column : results_.columns) {
    if (!is_main(column)) continue;
    column.name == "message" ? void(message = &column)
                             : table.columns.push_back(page_column(column));
  }
  if (message != nullptr) table.columns.push_back(page_column(*message));
  add_further_columns(table, note);
  return table;
}

std::string SweepPageWriter::results() const {
  if (results_.rows() == 0)
    return section("results-section", "Results", html_text("p", "No point has finished."));
  std::string note;
  const PageTable table = this->table(note);
  for (const std::string& reason : page_.left_out)
    note += html_text("p", "Column left out: " + reason, {{"class", "missing"}});
  note += html_text("p", fmt::format("Numbers are rounded; {} has all digits.", page_.results_csv),
                    {{"class", "note"}});
  return section("results-section", "Results", html_table(table) + note + constants());
}

// --- Commands and configurations

std::string SweepPageWriter::points() const {
  const ResultValues* point = results_.find("point");
  const ResultValues* command = results_.find("command");
  if (results_.rows() == 0 || point == nullptr || command == nullptr) return "";
  PageTable table;
  table.id = "points";
  table.row_noun = "point";
  table.full_file = page_.results_csv;
  table.rows = results_.rows();
  table.columns.push_back(page_column(*point));
  const auto& configurations = results_.configurations;
  if (!configurations.bases.empty()) {
    PageColumn base{"base", "", CellKind::text, false, {}},
        differences{"differs from the base", "", CellKind::lines, false, {}};
    for (const auto& each : configurations.points) {
      base.cells.push_back(each.base == SIZE_MAX ? "" : std::to_string(each.base + 1));
      std::string lines;
      for (const std::string& line : each.differences) lines += (lines.empty() ? "" : "\n") + line;
      if (each.base != SIZE_MAX && lines.empty()) lines = "(base)";
      differences.cells.push_back(std::move(lines));
    }
    if (configurations.bases.size() > 1) table.columns.push_back(std::move(base));
    table.columns.push_back(std::move(differences));
  }
  PageColumn commands = page_column(*command);
  commands.kind = CellKind::command;
  table.columns.push_back(std::move(commands));
  return section("points-section", "Points",
                 html_text("p",
                           "The command of each point, and the values of its configuration that "
                           "differ from the base configuration below.") +
                     '\n' + html_table(table));
}

// Number of points with a base: "12 points".
std::string SweepPageWriter::points_of(std::size_t base) const {
  const auto& points = results_.configurations.points;
  const std::size_t count = static_cast<std::size_t>(std::count_if(
      points.begin(), points.end(), [base](const auto& each) { return each.base == base; }));
  return fmt::format("{} point{}", count, count == 1 ? "" : "s");
}

std::string SweepPageWriter::configurations() const {
  const std::vector<std::string>& bases = results_.configurations.bases;
  if (bases.empty()) return "";
  std::string html;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const std::string title = bases.size() == 1 ? "Base configuration, with every default"
                                                : fmt::format("Base configuration {}", i + 1);
    html += html_element("details", {},
                         html_text("summary", fmt::format("{} ({})", title, points_of(i))) +
                             html_text("pre", bases[i])) +
            '\n';
  }
  return section("configuration", "Configuration", html);
}

std::string SweepPageWriter::origin() const {
  std::string rows;
  const auto add = [&rows](const char* name, const std::string& value, bool is_command) {
    if (value.empty()) return;
    rows += html_text("dt", name) + '\n' +
            (is_command ? html_element("dd", {{"class", "command"}}, html_text("code", value))
                        : html_text("dd", value)) +
            '\n';
  };
  add("command", results_.fact("command_line"), true);
  add("program", results_.fact("version"), false);
  add("host", results_.fact("host"), false);
  add("plan", results_.fact("plan_path"), false);
  std::string html = html_element("dl", {}, '\n' + rows) + '\n';
  if (const std::string plan = results_.fact("plan"); !plan.empty())
    html +=
        html_element("details", {}, html_text("summary", "Plan") + html_text("pre", plan)) + '\n';
  return section("origin", "Origin", html);
}

}  // namespace

std::string sweep_page_html(const SweepPage& page, const SweepResults& results) {
  return SweepPageWriter(page, results).html();
}

PageTable sweep_table(const SweepPage& page, const SweepResults& results) {
  std::string ignored;
  return SweepPageWriter(page, results).table(ignored);
}

}  // namespace kernbench
