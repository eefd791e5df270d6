// `kernbench plot`: figures from saved results, without simulating.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/glob.h"
#include "platform/figure/statistics_maps.h"
#include "platform/output/table.h"
#include "platform/sweep/measured_csv.h"
#include "platform/sweep/result_figure.h"
#include "platform/sweep/result_reader.h"
#include "sc_main/command.h"
#include "sc_main/result_files.h"

namespace kernbench {
namespace {

using Texts = std::vector<std::string>;

struct PlotOptions {
  Texts results, log;
  std::string kind, columns, out, measured, scope, format = "svg";
  PlanFigure figure;  // selected by options
  const CLI::App* command = nullptr;

  bool given(const char* option) const { return command->count(option) > 0; }
  bool selects() const;
  bool has_statistics() const {
    return std::filesystem::path(results.front()).extension() == ".json";
  }
};

constexpr const char* figure_group = "A figure";  // options of a single figure, in the help

bool PlotOptions::selects() const {
  const auto options = command->get_options();
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->count() > 0 && option->get_group() == figure_group;
  });
}

int list_columns(const PlotOptions& options) {
  Table table("columns", {Table::Column("name"), Table::Column("role")});
  const ResultReader results(options.results.front());
  const std::string glob = options.columns.empty() ? "*" : options.columns;
  for (const ResultColumn& each : results.columns()) {
    if (glob_matches(glob, each.name)) table.add({each.name, each.role});
  }
  if (table.empty())
    throw UsageError(fmt::format("--columns {}: no column matches{}", quote(glob),
                                 did_you_mean_of_glob(glob, results.names(""))));
  std::cout << table.text();
  return exit_done;
}

// Figure of a plan, or one that options select, and its file.
struct Output {
  PlanFigure figure;
  std::string path;
};

std::string file_in_folder(const PlotOptions& options, const std::string& name) {
  const std::filesystem::path folder = options.out.empty() ? "." : options.out;
  return (folder / (name + '.' + options.format)).string();
}

std::vector<Output> figures_of_plan(const PlotOptions& options) {
  const std::vector<PlanFigure> figures = figures_of_results(options.results.front());
  if (figures.empty())
    throw UsageError(
        fmt::format("the plan of {} has no figures: select one with --x and --y, or list the "
                    "columns with --columns",
                    quote(options.results.front())));
  std::vector<Output> outputs;
  for (const PlanFigure& figure : figures)
    outputs.push_back({figure, file_in_folder(options, figure.name)});
  return outputs;
}

Output selected_figure(const PlotOptions& options) {
  if (options.given("--format"))
    throw UsageError("--format is for the figures of a plan; the name of --out decides here");
  if (options.out.empty()) throw UsageError("--out F.svg is missing: the file of the figure");
  check_figure_file(options.out);
  Output output{options.figure, options.out};
  const auto& kinds = figure_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == options.kind) output.figure.kind = static_cast<FigureKind>(i);
  }
  for (const std::string& axis : options.log)
    (axis == "x" ? output.figure.log_x : output.figure.log_y) = true;
  output.figure.name = "plot";  // a valid one
  for (const std::string& fault : faults_of(output.figure)) throw UsageError("--" + fault);
  output.figure.name.clear();
  return output;
}

void check_outputs(const PlotOptions& options, const Texts& paths) {
  std::vector<FileInUse> inputs;
  for (const std::string& each : options.results) inputs.push_back({each, "the results"});
  if (!options.measured.empty()) inputs.push_back({options.measured, "the measurements"});
  check_result_files(inputs, paths);
}

void write(const Figure& figure, const std::string& path) {
  write_figure(figure, path);
  std::cout << fmt::format("figure             {}\n", path);
}

int draw_statistics(const PlotOptions& options) {
  for (const CLI::Option* option : options.command->get_options()) {
    static const Texts allowed{"results", "--out", "--format", "--scope", "--help"};
    if (option->count() > 0 &&
        std::find(allowed.begin(), allowed.end(), option->get_name()) == allowed.end())
      throw UsageError(fmt::format("{} has no effect on statistics, of which heat maps are drawn",
                                   option->get_name()));
  }
  if (options.results.size() > 1) throw UsageError("statistics are drawn of one file at a time");
  const std::vector<StatisticsMap> maps = statistics_maps(options.results.front(), options.scope);
  Texts paths;
  for (const StatisticsMap& map : maps) paths.push_back(file_in_folder(options, map.name));
  check_outputs(options, paths);
  create_folder(options.out);
  for (std::size_t i = 0; i < maps.size(); ++i) write(maps[i].figure, paths[i]);
  return exit_done;
}

// Draws all figures; the fault of one of several does not keep others from being drawn.
class PlotRun {
 public:
  explicit PlotRun(const PlotOptions& options) : options_(options) {
    if (!options.measured.empty()) measured_ = read_measured(options.measured);
  }

  void draw(const Output& output) {
    Figure figure = figure_of(output.figure, options_.results);
    if (measured_) used_ = add_measured(*measured_, output.figure, figure) || used_;
    write(figure, output.path);
  }
  void check_measured() const {
    if (measured_ && !used_)
      throw UsageError(fmt::format("no figure has x = {} and one of the other columns of {} as y",
                                   measured_->columns.front(), quote(options_.measured)));
  }
  int draw_all(const std::vector<Output>& outputs) {
    int status = exit_done;
    for (const Output& each : outputs) {
      try {
        draw(each);
      } catch (const Error& error) {
        std::cout << std::flush;
        std::cerr << fmt::format("kernbench: {}\n", error.what());
        status = exit_failed;
      }
    }
    return status;
  }

 private:
  const PlotOptions& options_;
  std::optional<MeasuredCsv> measured_;
  bool used_ = false;
};

int plot(const PlotOptions& options) {
  if (options.has_statistics()) return draw_statistics(options);
  if (options.given("--scope")) throw UsageError("--scope is for the statistics of a run, F.json");
  if (options.given("--columns")) return list_columns(options);
  const bool single = options.selects();
  std::vector<Output> outputs;
  if (single) outputs.push_back(selected_figure(options));
  if (!single) outputs = figures_of_plan(options);
  Texts paths;
  for (const Output& each : outputs) paths.push_back(each.path);
  check_outputs(options, paths);
  check_figure_file(paths.front());
  if (!single) create_folder(options.out);
  PlotRun run(options);
  int status = exit_done;
  single ? run.draw(outputs.front()) : static_cast<void>(status = run.draw_all(outputs));
  run.check_measured();
  return status;
}

void declare_plot(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<PlotOptions>();
  PlanFigure& figure = options->figure;
  options->command = &command;
  command
      .add_option(
          "results", options->results,
          "Result files of sweeps; several overlay, with series named by file. Or statistics "
          "of a run (--stats F.json), of which heat maps are drawn")
      ->type_name("F.sqlite|F.json")
      ->required();
  command
      .add_option("--out", options->out,
                  "Folder of the plan's figures (default: the working folder), or file of the "
                  "selected figure, F.svg|.png|.pdf")
      ->type_name("DIR|F");
  command.add_option("--format", options->format, "Format of the plan's figures")
      ->check(CLI::IsMember({"svg", "png", "pdf"}))
      ->capture_default_str();
  command
      .add_option("--columns", options->columns, "List the columns and their roles, draw nothing")
      ->type_name("GLOB")
      ->expected(0, 1);
  command
      .add_option("--measured", options->measured,
                  "Measurements from outside to draw too; the header names columns of the figures, "
                  "x first: K,simulated_ns")
      ->type_name("F.csv");
  command
      .add_option("--scope", options->scope,
                  "Of statistics: the SIP or cube, such as sip0.cube3 (default: HBM of all, links "
                  "of the busiest ones)")
      ->type_name("NAME");
  const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
    return command.add_option(name, value, what)->type_name(type)->group(figure_group);
  };
  const auto texts = [&](const char* name, Texts& values, const char* what) {
    command.add_option(name, values, what)
        ->type_name("COLUMN")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(figure_group);
  };
  text("--kind", options->kind, "Kind of the figure; default lines", "KIND")
      ->check(CLI::IsMember(figure_kinds()));
  text("--x", figure.x, "Column along x", "COLUMN");
  texts("--y", figure.y, "Columns along y, a series each; of a heat_map its rows");
  texts(
      "--series", figure.series,
      "Columns whose values separate series (default of lines and bars: the axes of the plan that "
      "are not along x, as needed)");
  texts("--theory", figure.theory, "Columns of --y that are drawn dashed");
  text("--cells", figure.cells, "Column of the values of a heat_map", "COLUMN");
  text("--labels", figure.labels, "Column of the texts at points", "COLUMN");
  text("--where", figure.where, "Condition in SQL that a point meets", "TEXT");
  command.add_option("--log", options->log, "Logarithmic axes: x, y or x,y")
      ->type_name("AXIS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"x", "y"}))
      ->group(figure_group);
  text("--pareto", figure.pareto,
       "Pareto front of a scatter: lower x and lower or higher y is better", "Y")
      ->check(CLI::IsMember({"lower", "higher"}));
  text("--title", figure.title, "Title", "TEXT");
  text("--x-label", figure.x_label, "Label of the axis, with its unit", "TEXT");
  text("--y-label", figure.y_label, "Label of the axis, with its unit", "TEXT");
  text("--cells-label", figure.cells_label, "Label of the scale of a heat_map", "TEXT");
  command.footer(
      "Without an option of a figure all `figures` of the plan are drawn (docs/spec/10-cli.md, "
      "10.7).\n\n"
      "Examples:\n"
      "  kernbench plot gemm.sqlite --out figures\n"
      "  kernbench plot before.sqlite after.sqlite --out figures --format pdf\n"
      "  kernbench plot gemm.sqlite --columns 'engines.*busy_ns'\n"
      "  kernbench plot gemm.sqlite --x K --y simulated_ns --log x,y --out time.svg\n"
      "  kernbench plot gemm.sqlite --kind scatter --x macs --y simulated_ns --pareto lower "
      "--labels M --out front.png\n"
      "  kernbench plot gemm.sqlite --x K --y simulated_ns --measured board.csv --out time.svg\n"
      "  kernbench plot stats.json --scope sip0.cube3 --out maps\n");
  invocation.on(command, [options] { return plot(*options); });
}
const CommandRegistration plot_registration(
    88, "plot", "Draw figures from saved results: lines, bars, scatter, rooflines, heat maps",
    declare_plot);

}  // namespace
}  // namespace kernbench
