#include "sc_main/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "platform/observe/component_statistics.h"
#include "platform/output/table.h"

namespace kernbench {
namespace {

constexpr const char* erase_line = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const RunProgress& progress) {
  if (!terminal_ || progress.wall_s - last_wall_s_ < 0.1) return;
  last_wall_s_ = progress.wall_s;
  shown_ = true;
  std::fputs(fmt::format("{}simulated {}, wall {:.1f} s, {:.0f} events/s", erase_line,
                         readable_time(to_ns(progress.simulated)), progress.wall_s,
                         static_cast<double>(progress.deltas) / progress.wall_s)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (shown_) std::fputs(erase_line, stderr);
  shown_ = false;
}

}  // namespace kernbench
