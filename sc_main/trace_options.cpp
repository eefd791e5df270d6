#include "sc_main/trace_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/observe/object_tree.h"
#include "platform/observe/wave_layout.h"
#include "sc_main/option_values.h"
#include "sc_main/result_files.h"

namespace kernbench {

void TraceOptions::add_to(CLI::App& command, const std::string& group,
                          const std::string& default_scope) {
  CLI::Option* trace =
      command
          .add_option("--trace", file,
                      "Writes a waveform, VCD or FST as its name ends, when the run has ended; "
                      "beside it F.gtkw for GTKWave and F.sucl for Surfer")
          ->type_name("F.vcd|.fst")
          ->group(group);
  command
      .add_option("--trace-scope", scopes,
                  "What the waveform takes: components or component.signal by glob, e.g. "
                  "'sip0.cube0.pe0.*'; repeatable. Default: " +
                      default_scope)
      ->type_name("GLOB")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--trace-window", window,
                  "The waveform holds the time from A to B ns only; without A from the start, "
                  "without B to the end")
      ->type_name("A:B")
      ->needs(trace)
      ->group(group);
  command
      .add_option("--trace-when", when,
                  "The waveform begins when a signal or statistic, at the end of an instant, is > "
                  ">= < <= == or != a number, e.g. 'sip0.cube0.pe0.pe_dma.faults>0'")
      ->type_name("CONDITION")
      ->needs(trace)
      ->group(group);
  command
      .add_flag("--trace-changed", changed_only,
                "Leaves out of the waveform what never changes in it")
      ->needs(trace)
      ->group(group);
}

void TraceOptions::check() const {
  if (!scopes.empty() && file.empty())
    throw UsageError("--trace-scope without --trace: there is no waveform to choose for");
  if (!file.empty()) check_trace_name(file);
  settings();
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
    throw UsageError(fmt::format("--trace-window {}: the window ends at {}, not behind its begin",
                                 quote(*window), format_ns(settings.to)));
  return settings;
}

std::vector<std::string> TraceOptions::files() const {
  if (file.empty() || is_stream(file)) return {file};
  return {file, gtkw_path(file), surfer_path(file)};
}

Tracing::Tracing(const TraceOptions& options, const Platform& platform,
                 const std::vector<std::string>& default_scope)
    : options_(options), scope_(options.scopes.empty() ? default_scope : options.scopes) {
  if (options.file.empty()) return;
  components_ = components_of(platform);
  if (!options.scopes.empty()) scope_.check(components_);
  if (options.when) trigger_.emplace(*options.when, components_);
}

void Tracing::open(const std::string& configuration) {
  if (options_.file.empty()) return;
  if (!is_stream(options_.file)) open_result(options_.file, configuration);
  file_.emplace(options_.file, options_.settings());
  if (trigger_) file_->start_when(*trigger_);
  scope_.observe(components_, *file_);
}

void Tracing::close(Fs end) {
  if (!file_) return;
  file_->close(end);
  if (!file_->begin())
    std::cerr << fmt::format(
        "kernbench: warning: the waveform {} has no values: {}\n", quote(options_.file),
        trigger_ ? "the condition of --trace-when has not held"
                 : fmt::format("the run ended at {}, before --trace-window", format_ns(end)));
  if (is_stream(options_.file)) return;
  const std::vector<WaveGroup> groups = wave_layout(file_->written());
  const Fs begin = file_->begin().value_or(0);
  write_result(gtkw_path(options_.file), gtkw_text(options_.file, groups, begin, file_->end()));
  write_result(surfer_path(options_.file), surfer_text(options_.file, groups));
}

}  // namespace kernbench
