#include "platform/sweep/figure_caption.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace kernbench {
namespace {

constexpr std::size_t most_constants = 8;

using Values = std::map<std::string, std::string>;  // value of each column that is constant

Values constants_of(const CaptionedFile& file, const std::set<std::string>& shown) {
  std::vector<std::string> names;
  for (const ResultColumn& each : file.results->columns()) {
    const bool is_setting = each.role == "axis" || each.role == "setting" || each.name == "version";
    if (is_setting && shown.count(each.name) == 0) names.push_back(each.name);
  }
  Values values;
  if (names.empty()) return values;
  const auto rows = file.results->rows(names, file.where);
  for (std::size_t i = 0; i < names.size() && !rows.empty(); ++i) {
    bool constant = true;
    for (const auto& row : rows) constant = constant && row[i].text == rows.front()[i].text;
    if (constant && !rows.front()[i].empty()) values[names[i]] = rows.front()[i].text;
  }
  return values;
}

// Those that a reader asks for first.
std::vector<std::string> in_order(const ResultReader& results) {
  std::vector<std::string> names{"bench", "topology"};
  for (const char* role : {"axis", "setting", "point"}) {
    for (const std::string& name : results.names(role)) {
      if (name != "bench" && name != "topology") names.push_back(name);
    }
  }
  return names;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& each : parts) text += (text.empty() ? "" : between) + each;
  return text;
}

}  // namespace

std::string settings_caption(const std::vector<CaptionedFile>& files,
                             const std::set<std::string>& shown) {
  std::vector<Values> constants;
  std::size_t failed = 0;
  for (const CaptionedFile& file : files) {
    constants.push_back(constants_of(file, shown));
    failed += file.results->count("failed");
  }
  std::vector<std::string> same, parts;
  std::size_t further = 0;
  for (const std::string& name : in_order(*files.front().results)) {
    std::vector<std::string> by_file;
    bool equal = true, everywhere = true;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto value = constants[i].find(name);
      everywhere = everywhere && value != constants[i].end();
      if (!everywhere) break;
      equal = equal && value->second == constants[0].at(name);
      by_file.push_back(files[i].name + ' ' + value->second);
    }
    if (!everywhere) continue;
    if (!equal) parts.push_back(fmt::format("{}: {}", name, joined(by_file, ", ")));
    if (!equal || name == "version") continue;
    same.size() < most_constants
        ? same.push_back(fmt::format("{} = {}", name, constants[0].at(name)))
        : static_cast<void>(++further);
  }
  std::string text = joined(same, ", ");
  if (further > 0) text += fmt::format(" and {} further settings", further);
  if (!text.empty()) parts.push_back(text);
  if (failed > 0)
    parts.push_back(
        fmt::format("{} failed point{} not drawn", failed, failed == 1 ? " is" : "s are"));
  return joined(parts, "; ");
}

}  // namespace kernbench
