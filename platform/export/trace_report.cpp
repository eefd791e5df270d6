// Waveform of a run, VCD or FST, and the files of viewers next to it (spec 11.1).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/config/shipped_files.h"
#include "platform/export/trace_file.h"
#include "platform/export/trace_scope.h"
#include "platform/export/wave_preset.h"
#include "platform/export/wave_views.h"
#include "platform/observe/object_tree.h"
#include "platform/output/result_file.h"
#include "platform/report/option_values.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

struct TraceOptions final : ReportOptions {
  std::string file;  // empty: none
  std::vector<std::string> scopes;
  std::optional<std::string> window, when, view;
  bool changed_only = false;

  void check() const override;
  std::vector<std::string> files() const override;
  std::unique_ptr<Report> make(const ReportContext& context) const override;
  TraceSettings settings() const;
  // Preset of --trace-view, moved to its instance.
  std::optional<WavePreset> preset() const;
};

class TraceReport final : public Report {
 public:
  // Throws UsageError if the globs or the condition match nothing in the machine.
  TraceReport(const TraceOptions& options, const ReportContext& context);
  void open() override;
  void rest() override { file_->rest(); }
  void close(Fs end) override;

 private:
  void write_views() const;

  const TraceOptions& options_;
  std::string configuration_;
  std::optional<WavePreset> preset_;
  std::vector<Component*> components_;
  TraceScope scope_;
  std::optional<TraceTrigger> trigger_;
  std::optional<TraceFile> file_;
};

std::optional<std::string> text_of_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(shipped_waveforms())) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Components named by the user, and those of the view.
std::vector<std::string> globs_of(const TraceOptions& options,
                                  const std::optional<WavePreset>& preset,
                                  const std::vector<std::string>& default_scope) {
  if (!preset) return options.scopes.empty() ? default_scope : options.scopes;
  std::vector<std::string> globs = options.scopes;
  for (const std::string& component : preset->components()) globs.push_back(component);
  return globs;
}

void TraceOptions::check() const {
  if (!scopes.empty() && file.empty()) throw UsageError("--trace-scope requires --trace");
  if (!file.empty()) check_trace_name(file);
  settings();
  if (!preset()) return;
  if (is_stream(file))
    throw UsageError(fmt::format(
        "--trace-view: the view is written next to the waveform, and {} is a pipe or a device",
        quote(file)));
}

TraceSettings TraceOptions::settings() const {
  TraceSettings settings;
  settings.changed_only = changed_only;
  if (!window) return settings;
  const std::size_t colon = window->find(':');
  if (colon == std::string::npos || window->size() == 1)
    throw UsageError(fmt::format(
        "--trace-window {} is not A:B, two times in ns, e.g. 2500:3000.5, 2500: or :3000",
        quote(*window)));
  const std::string from = window->substr(0, colon);
  const std::string to = window->substr(colon + 1);
  if (!from.empty()) settings.from = time_option("--trace-window", from);
  if (!to.empty()) settings.to = time_option("--trace-window", to);
  if (settings.from >= settings.to)
    throw UsageError(fmt::format("--trace-window {}: the window ends at {}, not after its start",
                                 quote(*window), format_ns(settings.to)));
  return settings;
}

std::optional<WavePreset> TraceOptions::preset() const {
  if (!view) return std::nullopt;
  const std::size_t equals = view->find('=');
  const std::string name = view->substr(0, equals);
  std::optional<std::string> text = text_of_file(name);
  if (!text) text = text_of_file(shipped_waveforms() / name / (name + ".gtkw"));
  if (!text) {
    const std::vector<std::string> names = preset_names();
    throw UsageError(
        fmt::format("--trace-view {}: no such view{}; there are {}, and save files of "
                    "GTKWave by path",
                    quote(name), did_you_mean(name, names), fmt::join(names, ", ")));
  }
  WavePreset preset(name, *text);
  if (equals == std::string::npos) return preset;
  try {
    preset.move_to(view->substr(equals + 1));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--trace-view {}: {}", quote(*view), error.what()));
  }
  return preset;
}

std::vector<std::string> TraceOptions::files() const {
  if (file.empty() || is_stream(file)) return {file};
  return {file, gtkw_path(file), surfer_path(file)};
}

// --- Report

TraceReport::TraceReport(const TraceOptions& options, const ReportContext& context)
    : options_(options), configuration_(context.metadata.configuration), preset_(options.preset()),
      components_(components_of(context.machine->platform())),
      scope_(globs_of(options, preset_,
                      context.source == ReportSource::run ? std::vector<std::string>()
                                                          : std::vector<std::string>{"*.*"})) {
  if (!options.scopes.empty()) TraceScope(options.scopes).check(components_);
  if (preset_ && !preset_->instance().empty())
    TraceScope({preset_->instance()}).check(components_, "--trace-view ");
  if (options.when) trigger_.emplace(*options.when, components_);
}

std::unique_ptr<Report> TraceOptions::make(const ReportContext& context) const {
  return file.empty() ? nullptr : std::make_unique<TraceReport>(*this, context);
}

void TraceReport::open() {
  if (!is_stream(options_.file)) open_result(options_.file, configuration_);
  file_.emplace(options_.file, options_.settings());
  if (trigger_) file_->start_when(*trigger_);
  scope_.observe(components_, *file_);
}

void TraceReport::close(Fs end) {
  file_->close(end);
  if (!file_->begin())
    std::cerr << fmt::format(
        "kernbench: warning: the waveform {} has no values: {}\n", quote(options_.file),
        trigger_ ? "the condition of --trace-when has not held"
                 : fmt::format("the run ended at {}, before --trace-window", format_ns(end)));
  if (!is_stream(options_.file)) write_views();
}

void TraceReport::write_views() const {
  const std::vector<WaveItem>& items = file_->written();
  const Fs begin = file_->begin().value_or(0);
  WaveView view;
  if (preset_) {
    view = preset_->view(options_.file, items, begin, file_->end());
  } else {
    view.groups = wave_layout(items);
    view.gtkw = gtkw_text(options_.file, view.groups, begin, file_->end());
  }
  write_result(gtkw_path(options_.file), view.gtkw);
  write_result(surfer_path(options_.file), surfer_text(options_.file, view.groups));
  if (!view.missing.empty())
    std::cerr << fmt::format(
        "kernbench: warning: --trace-view {}: the waveform {} lacks {} of its signals: {}{}\n",
        quote(*options_.view), quote(options_.file), view.missing.size(),
        quote(view.missing.front()), view.missing.size() > 1 ? ", ..." : "");
}

std::unique_ptr<ReportOptions> declare_trace(CLI::App& command, unsigned source) {
  auto options = std::make_unique<TraceOptions>();
  const std::string default_scope = (source & ReportSource::run) != 0
                                        ? "all PE engines; without --bench everything"
                                        : "everything";
  CLI::Option* trace =
      command
          .add_option("--trace", options->file,
                      "Write a waveform, VCD or FST by its extension, at the end of the run; next "
                      "to it F.gtkw for GTKWave and F.sucl for Surfer")
          ->type_name("F.vcd|.fst")
          ->group(report_group);
  command
      .add_option("--trace-scope", options->scopes,
                  "Components or component.signal in the waveform, by glob, e.g. "
                  "'sip0.cube0.pe0.*'; repeatable. Default: " +
                      default_scope)
      ->type_name("GLOB")
      ->allow_extra_args(false)
      ->group(report_group);
  completes(
      command
          .add_option(
              "--trace-view", options->view,
              "Preset of waveforms/, or a save file of GTKWave, as the view next to the waveform, "
              "applied to an instance, e.g. pe-pipeline=sip0.cube3.pe5; the waveform includes its "
              "components")
          ->type_name("VIEW[=INSTANCE]")
          ->needs(trace)
          ->group(report_group),
      [](const std::string&) { return candidates_of(preset_names()); });
  command
      .add_option("--trace-window", options->window,
                  "Limit the waveform to the time from A to B ns; without A from the start, "
                  "without B to the end")
      ->type_name("A:B")
      ->needs(trace)
      ->group(report_group);
  command
      .add_option("--trace-when", options->when,
                  "Start the waveform when a signal or statistic, at the end of a timestep, is > "
                  ">= < <= == or != a number, e.g. 'sip0.cube0.pe0.pe_dma.faults>0'")
      ->type_name("CONDITION")
      ->needs(trace)
      ->group(report_group);
  command
      .add_flag("--trace-changed", options->changed_only,
                "Omit signals that never change in the waveform")
      ->needs(trace)
      ->group(report_group);
  return options;
}

const ReportRegistration trace_registration(
    {200, "trace", ReportSource::machine, {}, ReportScope::whole_machine}, declare_trace);

}  // namespace
}  // namespace kernbench
