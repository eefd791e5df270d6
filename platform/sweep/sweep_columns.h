// Columns of the points of a sweep: names, roles, order (spec 10.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernbench {

enum class ColumnRole : std::uint8_t { axis, setting, summary };
const char* name_of(ColumnRole role);
// Role of a stored name; `summary` for one that this program does not know.
ColumnRole column_role(const std::string& name);

// Form in which SQL compares names: letters of ASCII in lower case.
std::string folded_name(const std::string& name);

// Whether each sweep has a column of this name.
bool is_fixed_column(const std::string& name);
// Name of the column for a setting: its key, with "param." where a parameter has the name of a
// column of every sweep.
std::string setting_column(const std::string& key);
// Whether columns of this name are written by the sweep: "host.*", "further".
bool is_reserved_column(const std::string& name);

// Columns in addition to the fixed ones. SQL does not distinguish names that differ in case alone.
class SweepColumns {
 public:
  const std::string* find(const std::string& name) const;  // as stored; null: there is none
  void add(const std::string& name, ColumnRole role);
  // Exactly these columns, which exist, are axes; earlier ones become settings.
  void set_axes(const std::vector<std::string>& axes);

  std::size_t size() const { return columns_.size(); }
  std::vector<std::string> names(ColumnRole role) const;
  // All columns of the results, fixed ones too, in their order: axes in the order of the plan, the
  // others by name; numbers of the host last.
  std::vector<std::string> in_order() const;

 private:
  struct Column {
    std::string name;
    ColumnRole role;
  };
  std::map<std::string, Column> columns_;  // by name in lower case
  std::vector<std::string> axes_;
};

}  // namespace kernbench
