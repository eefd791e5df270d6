// The waveform of a command: its options, and the file while the command simulates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "platform/assembly/platform.h"
#include "platform/export/trace_file.h"
#include "platform/export/trace_scope.h"
#include "platform/export/wave_preset.h"

namespace CLI {
class App;
}

namespace kernbench {

struct TraceOptions {
  std::string file;  // empty: none
  std::vector<std::string> scopes;
  std::optional<std::string> window, when, view;
  bool changed_only = false;

  // `default_scope` as the help calls it.
  void add_to(CLI::App& command, const std::string& group, const std::string& default_scope);
  // All throw UsageError.
  void check() const;
  TraceSettings settings() const;
  // That of --trace-view, moved to its instance.
  std::optional<WavePreset> preset() const;
  // The waveform and the files beside it.
  std::vector<std::string> files() const;
};

class Tracing {
 public:
  // Throws UsageError if the globs or the condition name nothing of the machine. `default_scope`
  // as in TraceScope. Nothing is written yet.
  Tracing(const TraceOptions& options, const Platform& platform,
          const std::vector<std::string>& default_scope);

  // Creates the file and its companion, and observes; without --trace nothing.
  void open(const std::string& configuration);
  // Between two slices of the simulation.
  void rest() {
    if (file_) file_->rest();
  }
  // Writes the waveform and the files of viewers beside it; warns where it is empty.
  void close(Fs end);

 private:
  void write_views() const;

  const TraceOptions& options_;
  std::optional<WavePreset> preset_;
  std::vector<Component*> components_;
  TraceScope scope_;
  std::optional<TraceTrigger> trigger_;
  std::optional<TraceFile> file_;
};

}  // namespace kernbench
