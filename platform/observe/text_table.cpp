#include "platform/observe/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace kernbench {

void TextTable::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(const std::string& indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const auto& row : rows_) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string text;
  const auto line = [&](const auto& cell_of) {
    std::string out = indent;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) out += "  ";
      out += columns_[c].align == Align::right ? fmt::format("{:>{}}", cell_of(c), widths[c])
                                               : fmt::format("{:<{}}", cell_of(c), widths[c]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + '\n';
  };
  line([&](std::size_t c) { return columns_[c].title; });
  for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
  return text;
}

std::string percent(double ratio) { return fmt::format("{:.1f} %", ratio * 100); }

std::string readable_bytes(std::uint64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 5; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string readable_time(double ns) {
  static constexpr const char* units[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; ns >= 999.9995 && unit < 3; ++unit) ns /= 1000;
  return fmt::format("{:.3f} {}", ns, units[unit]);
}

}  // namespace kernbench
