#include "platform/inspect/report_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/observe/json_text.h"
#include "platform/observe/text_table.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t difference(const TimeDifferenceCell& cell) {
  return static_cast<std::int64_t>(cell.to) - static_cast<std::int64_t>(cell.from);
}

std::string signed_text(std::int64_t fs, const std::string& magnitude) {
  return (fs < 0 ? "-" : fs > 0 ? "+" : "") + magnitude;
}

Fs magnitude(std::int64_t fs) { return static_cast<Fs>(fs < 0 ? -fs : fs); }

struct CellText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(TimeCell cell) const { return readable_time(to_ns(cell.time)); }
  std::string operator()(ExactTimeCell cell) const {
    return fmt::format("{}.{:06}", cell.time / fs_per_ns, cell.time % fs_per_ns);
  }
  std::string operator()(TimeDifferenceCell cell) const {
    const std::int64_t fs = difference(cell);
    return signed_text(fs, readable_time(to_ns(magnitude(fs))));
  }
  std::string operator()(ShareCell cell) const { return percent(cell.share); }
  std::string operator()(RateCell cell) const { return fmt::format("{:.1f}", cell.value); }
};

struct CellField {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return csv_field(text); }
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(TimeCell cell) const { return exact_ns(cell.time); }
  std::string operator()(ExactTimeCell cell) const { return exact_ns(cell.time); }
  std::string operator()(TimeDifferenceCell cell) const {
    const std::int64_t fs = difference(cell);
    return (fs < 0 ? "-" : "") + exact_ns(magnitude(fs));
  }
  std::string operator()(ShareCell cell) const { return fmt::format("{:.6f}", cell.share); }
  std::string operator()(RateCell cell) const { return fmt::format("{:.6f}", cell.value); }
};

struct CellJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(std::uint64_t number) const { return number; }
  Json operator()(TimeCell cell) const { return ns_json(cell.time); }
  Json operator()(ExactTimeCell cell) const { return ns_json(cell.time); }
  Json operator()(TimeDifferenceCell cell) const { return signed_ns_json(difference(cell)); }
  Json operator()(ShareCell cell) const { return cell.share; }
  Json operator()(RateCell cell) const { return cell.value; }
};

bool is_text(const Cell& cell) { return std::holds_alternative<std::string>(cell); }

}  // namespace

std::string exact_ns(Fs time) {
  const std::string text = format_ns(time);
  return text.substr(0, text.size() - 3);  // " ns"
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + '"';
}

std::string ReportTable::text(std::size_t most) const {
  TextTable table([&] {
    std::vector<TextTable::Column> columns;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool words =
          std::any_of(rows_.begin(), rows_.end(), [c](const Row& row) { return is_text(row[c]); });
      columns.push_back(
          {columns_[c].title, words ? TextTable::Align::left : TextTable::Align::right});
    }
    return columns;
  }());
  const bool cut = rows_.size() > most;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (cut && r >= most / 2 && r < rows_.size() - most / 2) continue;
    std::vector<std::string> cells;
    for (const Cell& cell : rows_[r]) cells.push_back(std::visit(CellText{}, cell));
    table.add(std::move(cells));
  }
  std::string text = table.text();
  if (!cut) return text;
  std::size_t place = 0;  // behind the title and the first rows
  for (std::size_t line = 0; line <= most / 2; ++line) place = text.find('\n', place) + 1;
  const std::size_t left_out = rows_.size() - most / 2 * 2;
  return text.insert(place, fmt::format("... {} more; --csv and --json have all\n", left_out));
}

std::string ReportTable::csv() const {
  std::string text;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    text += (c == 0 ? "" : ",") + csv_field(columns_[c].key);
  text += '\n';
  for (const Row& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text += (c == 0 ? "" : ",") + std::visit(CellField{}, row[c]);
    text += '\n';
  }
  return text;
}

Json ReportTable::json() const {
  Json list = Json::array();
  for (const Row& row : rows_) {
    Json object = Json::object();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      object[columns_[c].key] = std::visit(CellJson{}, row[c]);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace kernbench
