#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "platform/export/wave_layout.h"

namespace kernbench {
namespace {

// Of a trace in a save file of GTKWave (its analyzer.h).
enum Flag : unsigned {
  hexadecimal = 0x2,
  decimal = 0x4,
  binary = 0x8,
  right_justified = 0x20,
  blank = 0x200,
  ascii = 0x800,
  collapsed = 0x1000,
  closed = 0x400000,
  group_begin = 0x800000,
  group_end = 0x1000000
};

unsigned radix_of(const WaveVariable& variable) {
  switch (variable.kind) {
    case WaveVariable::Kind::text:
      return ascii;
    case WaveVariable::Kind::event:
      return binary;
    case WaveVariable::Kind::real:
      return decimal;
    case WaveVariable::Kind::bits:
      break;
  }
  if (variable.width == 1) return binary;
  return is_hexadecimal(variable) ? hexadecimal : decimal;
}

// 1 red, 2 orange, 3 yellow, 4 green, 5 blue, 6 indigo, 7 violet.
int colour_of(SignalType type) {
  switch (type) {
    case SignalType::flag:
      return 4;
    case SignalType::count:
    case SignalType::bytes:
      return 3;
    case SignalType::address:
      return 5;
    case SignalType::id:
      return 7;
    case SignalType::time:
      return 6;
    case SignalType::enumeration:
      return 2;
  }
  return 4;
}

std::string group_text(const WaveGroup& group) {
  const unsigned state = group.open ? 0U : static_cast<unsigned>(closed);
  const std::string title = group.scope.empty() ? "top" : group.scope;
  std::string text = fmt::format("@{:x}\n-{}\n", group_begin | blank | state, title);
  for (const WaveItem& item : group.items) {
    const WaveVariable& variable = item.variable;
    text += fmt::format("@{:x}\n[color] {}\n{}{}{}{}\n", radix_of(variable) | right_justified,
                        colour_of(variable.type), group.scope, group.scope.empty() ? "" : ".",
                        without_blanks(variable.name), range_of(variable));
  }
  const unsigned end = group_end | blank | collapsed | state;
  return text + fmt::format("@{:x}\n-{}\n", group.open ? end & ~collapsed : end, title);
}

}  // namespace

std::string gtkw_file_lines(const std::string& trace, Fs begin, Fs end) {
  constexpr double wave_frames = 960.0 / 200.0;  // GTKWave's unit of width: 200 pixels of [size]
  const double span = std::max(1.0, static_cast<double>(end - begin));
  std::string text = fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n[timestart] {}\n*{:.6f} -1",
                                 std::filesystem::path(trace).filename().string(),
                                 std::filesystem::path(gtkw_path(trace)).filename().string(), begin,
                                 -std::log2(span / wave_frames));
  constexpr int named_markers = 26;
  for (int i = 0; i < named_markers; ++i) text += " -1";
  return text + "\n";
}

std::string gtkw_text(const std::string& trace, const std::vector<WaveGroup>& groups, Fs begin,
                      Fs end) {
  std::string text = gtkw_file_lines(trace, begin, end) +
                     "[size] 1600 1000\n[pos] -1 -1\n[sst_width] 200\n[signals_width] 330\n"
                     "[sst_expanded] 1\n[sst_vpaned_height] 300\n";
  for (const WaveGroup& group : groups) text += group_text(group);
  return text + "[pattern_trace] 1\n[pattern_trace] 0\n";
}

}  // namespace kernbench
