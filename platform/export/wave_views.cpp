#include "platform/export/wave_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <tuple>

namespace kernbench {
namespace {

constexpr std::size_t most_open = 120;     // variables of open groups: a few screens
constexpr std::size_t most_listed = 2000;  // variables, including quiet groups

// Parts of dotted names up to their number, in the order of the data path. All scopes use the same
// order.
constexpr std::array<std::string_view, 24> data_path{
    "host",   "pcie_ep",        "io_noc",  "io_ucie", "io_cpu", "io",
    "pe_dma", "pe_fetch_store", "pe_gemm", "pe_math", "pe_tcm", "pe_ipcq",
    "pe_cpu", "pe_scheduler",   "pe_mmu",  "pe",      "r",      "hbm_ctrl",
    "sram",   "ucie",           "m_cpu",   "cube",    "sip",    "fabric"};

std::size_t place_of(std::string_view part) {
  const std::string_view kind = part.substr(0, part.find_first_of("0123456789-"));
  return static_cast<std::size_t>(std::find(data_path.begin(), data_path.end(), kind) -
                                  data_path.begin());
}

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Number at `at`, without leading zeros; `at` advances past it.
std::string_view number_at(std::string_view text, std::size_t& at) {
  const std::size_t first = at;
  while (at < text.size() && digit(text[at])) ++at;
  std::string_view number = text.substr(first, at - first);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size() - 1));
  return number;
}

// "pe9" before "pe10".
bool numbers_by_value(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const std::string_view x = number_at(a, i);
      const std::string_view y = number_at(b, j);
      if (x != y) return std::make_tuple(x.size(), x) < std::make_tuple(y.size(), y);
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

bool along_the_data_path(const WaveGroup& a, const WaveGroup& b) {
  const auto x = parts_of(a.scope);
  const auto y = parts_of(b.scope);
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (x[i] == y[i]) continue;
    const std::size_t place_x = place_of(x[i]);
    const std::size_t place_y = place_of(y[i]);
    return place_x != place_y ? place_x < place_y : numbers_by_value(x[i], y[i]);
  }
  return x.size() < y.size();
}

bool is_clock_or_reset(const WaveItem& item) {
  constexpr std::array<std::string_view, 7> names{"clk",   "clock",  "rst_n",  "rst",
                                                  "reset", "resetn", "reset_n"};
  return std::find(names.begin(), names.end(), item.variable.name) != names.end();
}

bool is_quiet(const WaveGroup& group) {
  return std::none_of(group.items.begin(), group.items.end(),
                      [](const WaveItem& item) { return item.changed; });
}

// Colour of a type: number in GTKWave, name in Surfer's themes.
struct Colour {
  int gtkwave;
  const char* surfer;
};
constexpr std::array<Colour, 7> colours{{{4, "Green"},     // flag
                                         {3, "Yellow"},    // count
                                         {3, "Yellow"},    // bytes
                                         {5, "Blue"},      // address
                                         {7, "Pink"},      // id: violet
                                         {6, "Gray"},      // time: indigo
                                         {2, "Orange"}}};  // enumeration
const Colour& colour_of(const WaveVariable& variable) {
  return colours.at(static_cast<std::size_t>(variable.type));
}

bool is_hexadecimal(const WaveVariable& variable) {
  return variable.type == SignalType::address ||
         (variable.type == SignalType::id && variable.width > 32);
}

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// Flags of a trace in a save file of GTKWave (its analyzer.h).
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
  using Kind = WaveVariable::Kind;
  if (variable.kind == Kind::text) return ascii;
  if (variable.kind == Kind::event) return binary;
  if (variable.kind == Kind::real) return decimal;
  if (variable.width == 1) return binary;
  return is_hexadecimal(variable) ? hexadecimal : decimal;
}

std::string group_text(const WaveGroup& group) {
  const unsigned state = group.open ? 0U : static_cast<unsigned>(closed);
  const std::string title = group.scope.empty() ? "top" : group.scope;
  std::string text = fmt::format("@{:x}\n-{}\n", group_begin | blank | state, title);
  for (const WaveItem& item : group.items) {
    const WaveVariable& variable = item.variable;
    text += fmt::format("@{:x}\n[color] {}\n{}{}\n", radix_of(variable) | right_justified,
                        colour_of(variable).gtkwave, full_name(variable), range_of(variable));
  }
  const unsigned end = group_end | blank | collapsed | state;
  return text + fmt::format("@{:x}\n-{}\n", group.open ? end & ~collapsed : end, title);
}

// Number of an item in Surfer's list: hexadecimal, with the digits a to p.
std::string item_id(std::size_t index) {
  std::string id;
  do {
    id.insert(id.begin(), static_cast<char>('a' + index % 16));
    index /= 16;
  } while (index > 0);
  return id;
}

// Surfer accepts one word: letters, digits and underscores.
std::string word(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; },
      '_');
  return text.empty() ? "top" : text;
}

std::string style_of(std::size_t index, const WaveVariable& variable) {
  std::string text = fmt::format("item_focus {}_{}\nitem_set_color {}\n", item_id(index),
                                 full_name(variable), colour_of(variable).surfer);
  if (variable.kind == WaveVariable::Kind::bits && variable.width > 1)
    text +=
        fmt::format("item_set_format {}\n", is_hexadecimal(variable) ? "Hexadecimal" : "Unsigned");
  return text;
}

}  // namespace

std::vector<WaveGroup> wave_layout(const std::vector<WaveItem>& items) {
  std::vector<WaveGroup> groups;
  for (const WaveItem& item : items) {
    if (groups.empty() || groups.back().scope != item.variable.scope)
      groups.push_back({item.variable.scope, {}, false});
    groups.back().items.push_back(item);
  }
  std::stable_sort(groups.begin(), groups.end(), along_the_data_path);
  for (WaveGroup& group : groups)
    std::stable_partition(group.items.begin(), group.items.end(), is_clock_or_reset);
  if (items.size() > most_listed)
    groups.erase(std::remove_if(groups.begin(), groups.end(), is_quiet), groups.end());
  std::size_t open = 0;
  for (WaveGroup& group : groups) {
    group.open = open < most_open && !is_quiet(group);
    if (group.open) open += group.items.size();
  }
  return groups;
}

std::string gtkw_path(const std::string& trace) {
  return std::filesystem::path(trace).replace_extension(".gtkw").string();
}
std::string surfer_path(const std::string& trace) {
  return std::filesystem::path(trace).replace_extension(".sucl").string();
}

// --- GTKWave

std::string gtkw_file_lines(const std::string& trace, Fs begin, Fs end) {
  constexpr double wave_frames = 960.0 / 200.0;  // GTKWave's unit of width: 200 pixels of [size]
  const double span = std::max(1.0, static_cast<double>(end - begin));
  std::string text = fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n[timestart] {}\n*{:.6f} -1",
                                 name_of_file(trace), name_of_file(gtkw_path(trace)), begin,
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

// --- Surfer

// Adds all items first: a new item would follow the one in focus.
std::string surfer_text(const std::string& trace, const std::vector<WaveGroup>& groups) {
  std::string items;
  std::string styles;
  std::size_t index = 0;
  for (const WaveGroup& group : groups) {
    if (!group.open) continue;
    items += fmt::format("divider_add {}\n", word(group.scope));
    ++index;
    for (const WaveItem& item : group.items) {
      items += fmt::format("variable_add {}\n", full_name(item.variable));
      styles += style_of(index++, item.variable);
    }
  }
  return fmt::format("# surfer {} --command-file {}\n{}{}item_unfocus\nzoom_fit\n",
                     name_of_file(trace), name_of_file(surfer_path(trace)), items, styles);
}

}  // namespace kernbench
