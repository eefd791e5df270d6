#include "sc_main/sweep_output.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/memory_guard.h"
#include "platform/figure/figure.h"
#include "platform/output/result_file.h"
#include "platform/page/sweep_page.h"
#include "platform/sweep/result_figure.h"
#include "platform/sweep/sweep_results.h"
#include "sc_main/memory_limit.h"
#include "sc_main/sweep_result.h"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

// Value of "name : value" or "name=value" in a file of facts; "": there is none.
std::string fact_of(const char* path, const std::string& name, char mark) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \"", at + 1);
    if (begin == std::string::npos) continue;
    return line.substr(begin, line.find_last_not_of(" \"") + 1 - begin);
  }
  return "";
}

// Writes the figure to its file, and returns it with the same picture, whose title and caption are
// texts of the page.
PageFigure drawn(const PlanFigure& plan, const std::string& results, const fs::path& folder) {
  PageFigure drawn{figure_title(plan), plan.text, "", ""};
  try {
    Figure figure = figure_of(plan, {results});
    write_figure(figure, (folder / (plan.name + ".svg")).string());
    drawn.title = figure.title;
    drawn.caption = figure.caption;
    figure.title.clear();
    figure.caption.clear();
    drawn.svg = figure_svg(figure);
  } catch (const Error& error) {
    drawn.fault = error.what();
  }
  return drawn;
}

void add_columns(const PlanFigure& figure, std::vector<std::string>& columns) {
  for (const auto* names : {&figure.y, &figure.series})
    columns.insert(columns.end(), names->begin(), names->end());
  columns.insert(columns.end(), {figure.x, figure.cells, figure.labels});
}

}  // namespace

std::string host_text() {
  std::string processor = fact_of("/proc/cpuinfo", "model name", ':'),
              system = fact_of("/etc/os-release", "PRETTY_NAME", '=');
  ::utsname names{};
  const bool has_names = ::uname(&names) == 0;
  if (processor.empty() && has_names) processor = names.machine;
  if (has_names)
    system += fmt::format("{}{} {}", system.empty() ? "" : ", ", names.sysname, names.release);
  const unsigned count = std::thread::hardware_concurrency();
  return fmt::format("{}, {} processor{}, {}, {}", processor, count, count == 1 ? "" : "s",
                     size_text(host_memory_bytes()), system);
}

void SweepOutput::add_to(CLI::App& command) {
  command
      .add_option("--out", folder,
                  "Folder for everything: results.sqlite, which a repeated command resumes, "
                  "results.csv, the figures of the plan, and index.html, a page to mail")
      ->type_name("DIR");
  command.add_flag("--reuse", reuse,
                   "Redraw the figures and the page of --out from its results, run nothing");
}

std::string SweepOutput::results() const { return (fs::path(folder) / "results.sqlite").string(); }

void SweepOutput::check(const std::vector<std::pair<const char*, bool>>& others) const {
  if (reuse && !is_requested())
    throw UsageError("sweep: --reuse requires --out DIR, the folder with the results");
  if (!is_requested()) return;
  for (const auto& [option, given] : others)
    if (given) throw UsageError(fmt::format("sweep: --out and {} exclude each other", option));
  if (reuse && !fs::exists(results()))
    throw UsageError(fmt::format("--reuse: there are no results in {}: {} does not exist",
                                 quote(folder), quote(results())));
}

int SweepOutput::write(SweepFile& file, const SweepPlan& plan, bool quiet,
                       std::size_t absent) const {
  if (!is_requested()) return exit_done;
  SweepPage page;
  page.left_out = file.define_results(plan.derived);
  page.absent = absent;
  const SweepResults results = read_results(file.path());
  page.title = plan.title.empty() ? fs::path(plan.path).stem().string() : plan.title;
  page.text = plan.question;
  page.results_csv = fs::path(csv_next_to(file.path())).filename();
  std::set<std::string> faults;
  for (const PlanFigure& figure : plan.figures) {
    page.figures.push_back(drawn(figure, file.path(), folder));
    add_columns(figure, page.figure_columns);
    if (const std::string& fault = page.figures.back().fault; !fault.empty()) faults.insert(fault);
  }
  const std::string path = (fs::path(folder) / "index.html").string();
  write_whole_file(path, sweep_page_html(page, results));
  if (!quiet) std::cout << fmt::format("page               {}\n", path) << std::flush;
  for (const std::string& fault : faults) std::cerr << "kernbench: " << fault << '\n';
  return faults.empty() ? exit_done : exit_failed;
}

int SweepOutput::redraw(const SweepPlan& plan, const SweepPoints& points, bool quiet) const {
  SweepFile file(results());
  const std::vector<RequestedPoint> stored = file.requested();
  std::set<std::string> labels;
  for (std::size_t i = 0; i < points.size(); ++i)
    labels.insert(plan.label_of(points.axis_values(i)));
  check_same_plan(file.path(), stored, labels, "--reuse redraws those of its own plan");
  check_column_names(plan, file.columns(ColumnRole::summary));
  for (const RequestedPoint& each : stored) labels.erase(each.label);
  if (!labels.empty())
    std::cerr << fmt::format("kernbench: {} point{} of the plan {} not in {}: {}{}\n",
                             labels.size(), labels.size() == 1 ? "" : "s",
                             labels.size() == 1 ? "is" : "are", quote(file.path()), *labels.begin(),
                             labels.size() > 1 ? "; ..." : "");
  std::vector<std::string> faults;
  try {
    faults = file.define_results(plan.derived);
    // For `plot`, too.
    file.describe({{"derived", plan.derived_as_json()}, {"figures", figures_as_json(plan.figures)}},
                  read_sweep(file.path()).axes);
  } catch (const SQLite::Exception& error) {
    throw Error(file.write_fault(error));
  }
  for (const std::string& fault : faults)
    std::cerr << "kernbench: " << fault << "; the results are without it\n";
  file.write_csv(csv_next_to(file.path()));
  const int status = write(file, plan, quiet, labels.size());
  return faults.empty() ? status : exit_failed;
}

}  // namespace kernbench
