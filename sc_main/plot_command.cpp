// `kernbench plot`: figures from saved results, without simulating.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/glob.h"
#include "platform/output/table.h"
#include "platform/sweep/result_figure.h"
#include "platform/sweep/result_reader.h"
#include "sc_main/command.h"
#include "sc_main/result_files.h"

namespace kernbench {
namespace {

using Texts = std::vector<std::string>;

struct PlotOptions {
  Texts results, log;
  std::string kind, columns, out, format = "svg";
  PlanFigure figure;  // selected by options
  const CLI::App* command = nullptr;

  bool given(const char* option) const { return command->count(option) > 0; }
  bool selects() const;
};

// Options of a single figure.
constexpr std::initializer_list<const char*> selecting{
    "--kind",  "--x",   "--y",     "--series",  "--theory",  "--cells",       "--labels",
    "--where", "--log", "--title", "--x-label", "--y-label", "--cells-label", "--pareto"};

bool PlotOptions::selects() const {
  return std::any_of(selecting.begin(), selecting.end(),
                     [this](const char* option) { return given(option); });
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

// A figure and its file.
struct Output {
  PlanFigure figure;
  std::string path;
};

std::vector<Output> figures_of_plan(const PlotOptions& options) {
  const std::vector<PlanFigure> figures = figures_of_results(options.results.front());
  if (figures.empty())
    throw UsageError(
        fmt::format("the plan of {} has no figures: select one with --x and --y, or list the "
                    "columns with --columns",
                    quote(options.results.front())));
  std::vector<Output> outputs;
  const std::filesystem::path folder = options.out.empty() ? "." : options.out;
  for (const PlanFigure& figure : figures)
    outputs.push_back({figure, (folder / (figure.name + '.' + options.format)).string()});
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

void draw(const Output& output, const Texts& results) {
  write_figure(figure_of(output.figure, results), output.path);
  std::cout << fmt::format("figure             {}\n", output.path);
}

void check_outputs(const PlotOptions& options, const std::vector<Output>& outputs) {
  std::vector<FileInUse> inputs;
  Texts paths;
  for (const std::string& each : options.results) inputs.push_back({each, "the results"});
  for (const Output& each : outputs) paths.push_back(each.path);
  check_result_files(inputs, paths);
}

int plot(const PlotOptions& options) {
  if (options.given("--columns")) return list_columns(options);
  if (options.selects()) {
    const Output output = selected_figure(options);
    check_outputs(options, {output});
    draw(output, options.results);
    return exit_done;
  }
  const std::vector<Output> outputs = figures_of_plan(options);
  check_outputs(options, outputs);
  if (!options.out.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.out, error);
    if (error)
      throw UsageError(
          fmt::format("cannot create the folder {}: {}", quote(options.out), error.message()));
  }
  int status = exit_done;
  for (const Output& each : outputs) {
    try {
      draw(each, options.results);
    } catch (const Error& error) {
      std::cout << std::flush;
      std::cerr << fmt::format("kernbench: {}\n", error.what());
      status = exit_failed;
    }
  }
  return status;
}

void declare_plot(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<PlotOptions>();
  PlanFigure& figure = options->figure;
  options->command = &command;
  command
      .add_option("results", options->results,
                  "Result files of sweeps; several overlay, with series named by file")
      ->type_name("F.sqlite")
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
  const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
    return command.add_option(name, value, what)->type_name(type)->group("A figure");
  };
  const auto texts = [&](const char* name, Texts& values, const char* what) {
    command.add_option(name, values, what)
        ->type_name("COLUMN")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group("A figure");
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
      ->group("A figure");
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
      "--labels M --out front.png\n");
  invocation.on(command, [options] { return plot(*options); });
}
const CommandRegistration plot_registration(
    88, "plot", "Draw figures from saved results: lines, bars, scatter, rooflines, heat maps",
    declare_plot);

}  // namespace
}  // namespace kernbench
