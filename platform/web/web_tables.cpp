#include "platform/web/web_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/page/page_table.h"
#include "platform/web/web_request.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

bool is_list_of_objects(const Json& json) {
  return json.is_array() && !json.empty() && json.front().is_object();
}

// Numbers of json_text.h count, too.
bool is_number(const Json& value) { return value.is_number() || value.is_binary(); }

std::string text_of_list(const Json& list) {
  std::string text;
  for (const Json& value : list)
    text += (text.empty() ? "" : ", ") +
            (value.is_string() ? value.get<std::string>() : json_text(value));
  return text;
}

}  // namespace

WebTables::Table& WebTables::table_named(const std::string& name) {
  for (Table& table : tables_)
    if (table.name == name) return table;
  tables_.push_back({name, {}, {}});
  return tables_.back();
}

void WebTables::set(Table& table, std::vector<Json>& row, const std::string& column, Json value) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  const auto index = static_cast<std::size_t>(found - table.columns.begin());
  if (found == table.columns.end()) table.columns.push_back(column);
  if (row.size() <= index) row.resize(index + 1);
  row[index] = std::move(value);
}

void WebTables::add(const std::string& name, const Json& json) {
  if (is_list_of_objects(json)) {
    // The same list in several reports is one table.
    for (const Table& table : tables_)
      if (table.name == name) return;
    add_rows(name, json, Json::object());
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) add(name.empty() ? key : name + '.' + key, value);
  }
}

void WebTables::add_rows(const std::string& name, const Json& list, const Json& outer) {
  table_named(name);
  for (const Json& entry : list) {
    if (!entry.is_object()) continue;
    std::vector<Json> row;
    for (const auto& [key, value] : outer.items()) set(table_named(name), row, key, value);
    Json names = outer;  // texts that identify the rows of inner lists
    for (const auto& [key, value] : entry.items()) {
      if (value.is_string() && names.size() < 4) names[key] = value;
      if (is_list_of_objects(value)) {
        add_rows(name + '.' + key, value, names);
      } else if (value.is_array()) {
        set(table_named(name), row, key, text_of_list(value));
      } else if (value.is_object()) {
        for (const auto& [inner, of_inner] : value.items())
          if (!of_inner.is_structured()) set(table_named(name), row, key + '.' + inner, of_inner);
      } else {
        set(table_named(name), row, key, value);
      }
    }
    table_named(name).rows.push_back(std::move(row));
  }
}

bool WebTables::has(const std::string& name) const {
  return std::any_of(tables_.begin(), tables_.end(),
                     [&](const Table& table) { return table.name == name; });
}

Json WebTables::list() const {
  Json names = Json::array();
  for (const Table& table : tables_)
    names.push_back({{"name", table.name}, {"rows", table.rows.size()}});
  return names;
}

Json WebTables::table(const std::string& name, std::size_t most) const {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const Table& table) { return table.name == name; });
  if (found == tables_.end())
    throw WebError(404, fmt::format("this run has no table {}", quote(name)));
  Json columns = Json::array(), rows = Json::array(), places = Json::array();
  for (std::size_t i = 0; i < found->columns.size(); ++i) {
    bool numbers = true, empty = true;
    for (const std::vector<Json>& row : found->rows) {
      if (i >= row.size() || row[i].is_null()) continue;
      empty = false;
      numbers = numbers && is_number(row[i]);
    }
    columns.push_back({{"name", found->columns[i]},
                       {"unit", unit_of_column(found->columns[i])},
                       {"kind", numbers && !empty ? "number" : "text"}});
  }
  for (const std::vector<Json>& row : found->rows) {
    if (rows.size() == most) break;
    Json cells = Json::array();
    for (std::size_t i = 0; i < found->columns.size(); ++i)
      cells.push_back(i < row.size() ? row[i] : Json());
    rows.push_back(std::move(cells));
    places.push_back(place_of_(row));
  }
  return {{"name", found->name},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"places", std::move(places)},
          {"row_count", found->rows.size()},
          {"left_out", found->rows.size() - std::min(most, found->rows.size())}};
}

}  // namespace kernbench
