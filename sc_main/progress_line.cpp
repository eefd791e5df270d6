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

bool ProgressLine::is_due(double wall_s) {
  if (!terminal_ || wall_s - last_wall_s_ < 0.1) return false;
  last_wall_s_ = wall_s;
  return true;
}

void ProgressLine::show(const std::string& line) {
  shown_ = true;
  std::fputs((erase_line + line).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressLine::show(const RunProgress& progress) {
  if (!is_due(progress.wall_s)) return;
  show(fmt::format("simulated {}, wall {:.1f} s, {:.0f} events/s",
                   readable_time(to_ns(progress.simulated)), progress.wall_s,
                   static_cast<double>(progress.deltas) / progress.wall_s));
}

void ProgressLine::show_points(std::size_t done, std::size_t of, std::size_t failed,
                               double wall_s) {
  if (!is_due(wall_s)) return;
  const double rate = static_cast<double>(done) / wall_s;
  std::string line =
      fmt::format("{} of {} points, {} failed, {:.1f} points/s", done, of, failed, rate);
  if (done > 0) line += fmt::format(", {:.0f} s left", static_cast<double>(of - done) / rate);
  show(line);
}

void ProgressLine::show_state(const std::string& state) {
  if (state == state_) return;
  state_ = state;
  if (terminal_) {
    show(state);
  } else {
    std::fputs(("kernbench: " + state + '\n').c_str(), stderr);
  }
}

void ProgressLine::clear() {
  if (shown_) std::fputs(erase_line, stderr);
  shown_ = false;
}

}  // namespace kernbench
