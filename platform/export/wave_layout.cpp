#include "platform/export/wave_layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <tuple>

namespace kernbench {
namespace {

constexpr std::size_t most_open = 120;     // variables of open groups: a few screens
constexpr std::size_t most_listed = 2000;  // variables, those of quiet groups included

// Parts of dotted names up to their number, in the order of the data path. The same order serves
// in every scope.
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

// The number that begins at `at`, which moves behind it, without leading zeros.
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

std::string beside(const std::string& trace, const char* extension) {
  return std::filesystem::path(trace).replace_extension(extension).string();
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

std::string gtkw_path(const std::string& trace) { return beside(trace, ".gtkw"); }
std::string surfer_path(const std::string& trace) { return beside(trace, ".sucl"); }

}  // namespace kernbench
