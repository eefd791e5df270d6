// Tables of a run, from the lists in the JSON of its reports.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kernbench {

// Rows of a table in an answer.
inline constexpr std::size_t most_shown_rows = 5000;

class WebTables {
 public:
  using Json = nlohmann::ordered_json;
  // Target of a row (run_places.h); null: none.
  using PlaceOf = std::function<Json(const std::vector<Json>& row)>;

  explicit WebTables(PlaceOf place_of) : place_of_(std::move(place_of)) {}

  // Adds a table for each list of objects in `json`, named by the path to it. A list within the
  // rows of a list is one table, whose rows begin with the texts of the outer row.
  void add(const std::string& name, const Json& json);

  bool has(const std::string& name) const;
  Json list() const;  // [{"name", "rows"}, ..]
  // {"name", "columns": [{"name", "unit", "kind"}], "rows": [[..]], "places": [..], "row_count",
  // "left_out"};
  // WebError 404: no such table.
  Json table(const std::string& name, std::size_t most) const;

 private:
  struct Table {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<Json>> rows;  // a row may be shorter than the columns
  };
  void add_rows(const std::string& name, const Json& list, const Json& outer);
  Table& table_named(const std::string& name);
  static void set(Table& table, std::vector<Json>& row, const std::string& column, Json value);

  PlaceOf place_of_;
  std::vector<Table> tables_;
};

}  // namespace kernbench
