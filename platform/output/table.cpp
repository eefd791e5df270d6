#include "platform/output/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <set>

#include "models/base/errors.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"

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
  std::string operator()(CountCell cell) const { return std::to_string(cell.count); }
  std::string operator()(NumberCell cell) const { return fmt::format("{:.3f}", cell.value); }
  std::string operator()(NoneCell cell) const { return cell.text; }
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
  std::string operator()(CountCell cell) const { return std::to_string(cell.count); }
  std::string operator()(NumberCell cell) const { return fmt::format("{}", cell.value); }
  std::string operator()(NoneCell) const { return ""; }
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
  Json operator()(CountCell cell) const { return cell.count; }
  Json operator()(NumberCell cell) const { return cell.value; }
  Json operator()(NoneCell) const { return nullptr; }
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

Table::Table(std::string name, std::vector<Column> columns)
    : name_(std::move(name)), columns_(std::move(columns)) {
  std::set<std::string> keys;
  for (const Column& column : columns_) {
    if (column.in_data && !keys.insert(column.key).second)
      throw Error(fmt::format("the table '{}' has two columns '{}'", name_, column.key));
  }
}

void Table::add(Row row) {
  assert(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

bool Table::is_left(std::size_t column) const {
  if (columns_[column].align != Align::by_content) return columns_[column].align == Align::left;
  return std::any_of(rows_.begin(), rows_.end(),
                     [column](const Row& row) { return is_text(row[column]); });
}

Cell time_cell(const std::optional<Fs>& time) {
  if (!time) return NoneCell();
  return TimeCell{*time};
}

std::string text_of(const Cell& cell) { return std::visit(CellText{}, cell); }

nlohmann::ordered_json json_of(const Cell& cell) { return std::visit(CellJson{}, cell); }

std::string Table::text(const std::string& indent, std::size_t most, Cut cut) const {
  const std::size_t left_out = rows_.size() - std::min(rows_.size(), most);
  const std::size_t first = left_out > 0 && cut == Cut::middle ? (most + 1) / 2 : most;
  TextLayout layout(indent, keys_);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].in_text) layout.add_column(columns_[c].title, is_left(c));
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (left_out > 0 && r == first)
      layout.add_note(fmt::format("... {} more; --json has all\n", left_out));
    if (r >= first && r < first + left_out) continue;
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].in_text) cells.push_back(std::visit(CellText{}, rows_[r][c]));
    }
    layout.add_row(std::move(cells));
  }
  return layout.text();
}

Table Table::joined(const std::vector<Table>& tables) {
  std::vector<Column> columns{{"table", "table"}};
  const auto place_of = [&columns](const std::string& key) {
    return static_cast<std::size_t>(
        std::find_if(columns.begin(), columns.end(),
                     [&key](const Column& column) { return column.key == key; }) -
        columns.begin());
  };
  for (const Table& table : tables) {
    for (const Column& column : table.columns_) {
      if (column.in_data && place_of(column.key) == columns.size()) columns.push_back(column);
    }
  }
  Table all("rows", columns);
  for (const Table& table : tables) {
    for (const Row& row : table.rows_) {
      Row cells(columns.size());
      cells.front() = table.name_;
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (table.columns_[c].in_data) cells[place_of(table.columns_[c].key)] = row[c];
      }
      all.add(std::move(cells));
    }
  }
  return all;
}

std::string Table::csv() const {
  std::string text;
  const auto add_line = [&](auto field_of) {
    const char* separator = "";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].in_data) text += std::exchange(separator, ",") + field_of(c);
    }
    text += '\n';
  };
  add_line([&](std::size_t c) { return csv_field(columns_[c].key); });
  for (const Row& row : rows_)
    add_line([&](std::size_t c) { return std::visit(CellField{}, row[c]); });
  return text;
}

Json Table::json() const {
  Json list = Json::array();
  for (const Row& row : rows_) {
    Json object = Json::object();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].in_data) object[columns_[c].key] = std::visit(CellJson{}, row[c]);
    }
    list.push_back(std::move(object));
  }
  return list;
}

Table::Row row_of(std::vector<std::string> cells) {
  return {std::make_move_iterator(cells.begin()), std::make_move_iterator(cells.end())};
}

std::string percent(double ratio) { return fmt::format("{:.1f} %", ratio * 100); }

std::string readable_bytes(std::uint64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 5; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

namespace {

// The last unit has no upper bound.
std::string with_prefix(double value, std::initializer_list<const char*> units) {
  const char* const* unit = units.begin();
  for (; value >= 999.9995 && unit + 1 != units.end(); ++unit) value /= 1000;
  return fmt::format("{:.3f} {}", value, *unit);
}

}  // namespace

std::string readable_time(double ns) { return with_prefix(ns, {"ns", "us", "ms", "s"}); }

std::string readable_energy(double pj) {
  return with_prefix(pj, {"pJ", "nJ", "uJ", "mJ", "J", "kJ"});
}

std::string readable_power(double w) {
  return with_prefix(w * 1e6, {"uW", "mW", "W", "kW", "MW", "GW"});
}

std::string readable_count(double count, const std::string& unit) {
  const bool is_whole = count < 1000 && count == std::floor(count);
  std::string text =
      is_whole ? fmt::format("{:.0f} ", count) : with_prefix(count, {"", "k", "M", "G", "T", "P"});
  text += unit;
  if (text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace kernbench
