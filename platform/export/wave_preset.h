// Preset view (waveforms/): a save file of GTKWave, applied to any instance of its kind.
#pragma once

#include <string>
#include <vector>

#include "platform/export/wave_views.h"

namespace kernbench {

class WavePreset {
 public:
  // `text`: a save file of GTKWave. Throws UsageError if it shows no signal.
  WavePreset(std::string name, const std::string& text);

  // Scope shared by all signals: "sip0.cube0.pe0"; "": the whole machine.
  const std::string& instance() const { return instance_; }
  // Shows the same signals of a different instance. Throws UsageError unless it is of the same
  // kind: a PE for a PE.
  void move_to(const std::string& instance);
  // Components with the signals that the preset shows.
  std::vector<std::string> components() const;

  // View of a waveform with `items`: without the preset's markers and without signals missing in
  // the waveform, all groups open.
  WaveView view(const std::string& trace, const std::vector<WaveItem>& items, Fs begin,
                Fs end) const;

 private:
  struct Line {
    std::string text;    // line of the file; for a signal its alias: "+{PE_CPU} ", or nothing
    std::string signal;  // full name without range; empty: no signal
  };

  std::string name_, instance_;
  std::vector<Line> lines_;
};

}  // namespace kernbench
