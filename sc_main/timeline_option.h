// `--timeline F` and `--timeline-limit N`, of the commands that simulate.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "platform/export/timeline.h"

namespace CLI {
class App;
}

namespace kernbench {

struct TimelineOption {
  std::string file;  // empty: none
  std::uint64_t limit = TimelineRecorder::default_limit;

  void add_to(CLI::App& command, const std::string& group);
  void check() const;  // UsageError
  // Null without the option. `configuration` for the file beside it.
  std::unique_ptr<Timeline> observe(Platform& platform, const std::string& configuration) const;
  // After the run; says on standard error what was left out.
  void close(Timeline* timeline) const;
};

}  // namespace kernbench
