#include "platform/sweep/figure_caption.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "platform/config/config_tree.h"
#include "platform/sweep/sweep_configurations.h"

namespace kernbench {
namespace {

constexpr std::size_t most_constants = 8;

using Texts = std::vector<std::string>;

// Setting with the same value in all drawn points of a file.
struct Constant {
  std::string value;
  bool given = false;  // by the plan, not a default
};
struct Settings {
  std::map<std::string, Constant> constants;
  Texts varying;
};

// Whether the command of a point sets it: "--topology tiny", "--param M=32".
bool is_given(const std::string& command, const std::string& name) {
  const Texts forms{" --" + name + ' ', ' ' + name + '=', '\'' + name + '='};
  return std::any_of(forms.begin(), forms.end(), [&](const std::string& form) {
    return command.find(form) != std::string::npos;
  });
}

// Keys that axes of other names set in all files: the axis is named instead.
std::set<std::string> keys_of_axes(const std::vector<CaptionedFile>& files) {
  std::map<std::string, std::size_t> count;
  for (const CaptionedFile& file : files) {
    const std::string text = fact_of(file.results->content().facts, "axis_keys");
    if (text.empty()) continue;
    const auto by_axis = nlohmann::ordered_json::parse(text);
    for (const auto& [axis, keys] : by_axis.items())
      for (const auto& key : keys) ++count[key.get<std::string>()];
  }
  std::set<std::string> keys;
  for (const auto& [key, number] : count)
    if (number == files.size()) keys.insert(key);
  return keys;
}

// Value of a key that a file does not set: the default that its points have; "": unknown.
std::string default_of(const CaptionedFile& file, const std::string& name) {
  const auto rows = file.results->rows({"hash"}, file.where);
  if (rows.empty()) return "";
  const SQLite::Database database = open_read_only(file.results->path());
  const StoredConfigurations stored(database);
  if (!stored.has(rows.front()[0].text)) return "";
  const std::string text = stored.text(rows.front()[0].text);
  const std::string ccl = "ccl:defaults.";
  if (name.compare(0, ccl.size(), ccl) == 0) {
    const std::size_t line = text.find("\n# ccl "), end = text.find('\n', line + 1);
    const std::string form = ' ' + name.substr(ccl.size()) + '=';
    const std::size_t at = line == std::string::npos ? line : text.find(form, line);
    if (at == std::string::npos || at > end) return "";
    const std::size_t begin = at + form.size();
    return text.substr(begin, std::min(text.find(' ', begin), end) - begin);
  }
  std::vector<ConfigIssue> ignored;  // the text is our own
  const ConfigNode root = parse_config_value(text, {}, "", ignored);
  const ConfigNode* node = root.at(name);
  return node != nullptr && node->kind == ConfigNode::Kind::scalar ? node->text : "";
}

Settings settings_of(const CaptionedFile& file, const std::set<std::string>& shown) {
  Texts names{"command"};
  const Texts axes = file.results->names("axis");
  for (const ResultColumn& each : file.results->columns()) {
    const bool is_setting = each.role == "axis" || each.role == "setting" || each.name == "version";
    if (is_setting && shown.count(each.name) == 0) names.push_back(each.name);
  }
  Settings settings;
  const auto rows = file.results->rows(names, file.where);
  for (std::size_t i = 1; i < names.size() && !rows.empty(); ++i) {
    const ResultCell& first = rows.front()[i];
    const bool constant = std::all_of(rows.begin(), rows.end(),
                                      [&](const auto& row) { return row[i].text == first.text; });
    const bool given = is_given(rows.front()[0].text, names[i]) ||
                       std::find(axes.begin(), axes.end(), names[i]) != axes.end();
    if (!constant) settings.varying.push_back(names[i]);
    if (constant && !first.empty()) settings.constants[names[i]] = {first.text, given};
  }
  return settings;
}

// Bench and topology first, then axes and settings of all files.
Texts in_order(const std::vector<CaptionedFile>& files) {
  Texts names{"bench", "topology"};
  for (const char* role : {"axis", "setting", "point"}) {
    for (const CaptionedFile& file : files) {
      for (const std::string& name : file.results->names(role))
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// "macs: before 2048, after 4096", or "" if the files have the same value, or one that varies.
std::string difference(const std::string& name, const std::vector<CaptionedFile>& files,
                       const std::vector<Settings>& settings) {
  Texts by_file, values;
  bool given = name == "version";
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Texts& varying = settings[i].varying;
    if (std::find(varying.begin(), varying.end(), name) != varying.end()) return "";
    const auto found = settings[i].constants.find(name);
    const bool known = found != settings[i].constants.end();
    given = given || (known && found->second.given);
    values.push_back(known ? found->second.value : default_of(files[i], name));
    const std::string text = known                   ? values.back()
                             : values.back().empty() ? "default"
                                                     : values.back() + " (default)";
    by_file.push_back(files[i].name + ' ' + text);
  }
  const bool equal = std::all_of(values.begin(), values.end(),
                                 [&](const std::string& each) { return each == values.front(); });
  return equal || !given ? "" : fmt::format("{}: {}", name, fmt::join(by_file, ", "));
}

}  // namespace

std::string settings_caption(const std::vector<CaptionedFile>& files,
                             const std::set<std::string>& shown) {
  std::vector<Settings> settings;
  std::set<std::string> shown_or_same = shown;
  shown_or_same.merge(keys_of_axes(files));
  std::size_t failed = 0, cut = 0;
  for (const CaptionedFile& file : files) {
    settings.push_back(settings_of(file, shown_or_same));
    failed += file.results->count("failed");
    cut += file.results->count("until");
  }
  Texts same, parts;
  for (const std::string& name : in_order(files)) {
    if (shown_or_same.count(name) != 0) continue;
    const std::string differs = difference(name, files, settings);
    if (!differs.empty()) parts.push_back(differs);
    const auto& constants = settings.front().constants;
    const auto found = constants.find(name);
    const bool everywhere = std::all_of(settings.begin(), settings.end(), [&](const Settings& s) {
      const auto other = s.constants.find(name);
      return found != constants.end() && other != s.constants.end() &&
             other->second.value == found->second.value;
    });
    if (everywhere && found->second.given && name != "version")
      same.push_back(fmt::format("{} = {}", name, found->second.value));
  }
  if (same.size() > most_constants) {
    const std::size_t further = same.size() - most_constants;
    same.resize(most_constants);
    same.push_back(fmt::format("{} more", further));
  }
  if (!same.empty()) parts.push_back(fmt::format("{}", fmt::join(same, ", ")));
  if (failed > 0)
    parts.push_back(
        fmt::format("{} failed point{} not drawn", failed, failed == 1 ? " is" : "s are"));
  if (cut > 0)
    parts.push_back(fmt::format("{} point{} stopped by until", cut, cut == 1 ? " is" : "s are"));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string column_unit(const std::string& column) {
  static const std::vector<std::pair<std::string, const char*>> units{
      {"_ns", "ns"},    {"_us", "us"},   {"_ms", "ms"},         {"_s", "s"},   {"_pj", "pJ"},
      {"_nj", "nJ"},    {"_j", "J"},     {"_w", "W"},           {"_mm", "mm"}, {"_ghz", "GHz"},
      {"_gbs", "GB/s"}, {"_bytes", "B"}, {"_tflops", "TFLOP/s"}};
  for (const auto& [suffix, unit] : units) {
    if (column == suffix.substr(1) && column.size() > 2 && column != "bytes" && column != "ghz")
      return unit;  // "gbs", "tflops"
    if (column.size() > suffix.size() &&
        column.compare(column.size() - suffix.size(), suffix.size(), suffix) == 0)
      return unit;
  }
  return "";
}

std::string column_label(const std::string& column) {
  const std::string unit = column_unit(column);
  if (unit.empty()) return column;
  const std::size_t mark = column.rfind('_');
  if (mark == std::string::npos) return unit;
  return fmt::format("{} ({})", column.substr(0, mark), unit);
}

std::string columns_label(const std::vector<std::string>& columns) {
  if (columns.size() == 1) return column_label(columns.front());
  static const std::map<std::string, const char*> quantities{
      {"ns", "time"},           {"us", "time"},   {"ms", "time"},        {"s", "time"},
      {"pJ", "energy"},         {"nJ", "energy"}, {"J", "energy"},       {"W", "power"},
      {"mm", "length"},         {"GHz", "clock"}, {"GB/s", "bandwidth"}, {"B", "size"},
      {"TFLOP/s", "throughput"}};
  std::string unit;
  for (const std::string& each : columns) {
    const std::string own = column_unit(each);
    if (own.empty() || (!unit.empty() && own != unit)) return "";
    unit = own;
  }
  return fmt::format("{} ({})", quantities.at(unit), unit);
}

}  // namespace kernbench
