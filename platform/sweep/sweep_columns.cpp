#include "platform/sweep/sweep_columns.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernbench {
namespace {

// In the order of the results; `key`, which is fixed too, is not among them.
constexpr std::array<const char*, 5> first_columns{"point", "status", "message", "version", "hash"};
constexpr std::array<const char*, 3> role_names{"axis", "setting", "summary"};

// Numbers of the whole run first, those of the host last.
int rank_of_summary(const std::string& name) {
  if (name.compare(0, 5, "host.") == 0) return 2;
  return name.find('.') == std::string::npos ? 0 : 1;
}

}  // namespace

std::string folded_name(const std::string& name) {
  std::string text = name;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

const char* name_of(ColumnRole role) { return role_names[static_cast<std::size_t>(role)]; }

ColumnRole column_role(const std::string& name) {
  const auto found = std::find(role_names.begin(), role_names.end(), name);
  return found == role_names.end() ? ColumnRole::summary
                                   : static_cast<ColumnRole>(found - role_names.begin());
}

bool is_fixed_column(const std::string& name) {
  const std::string low = folded_name(name);
  return low == "key" || low == "command" ||
         std::find(first_columns.begin(), first_columns.end(), low) != first_columns.end();
}

std::string setting_column(const std::string& key) {
  return is_fixed_column(key) ? "param." + key : key;
}

bool is_reserved_column(const std::string& name) {
  const std::string low = folded_name(name);
  return low == "further" || low.compare(0, 5, "host.") == 0;
}

const std::string* SweepColumns::find(const std::string& name) const {
  const auto found = columns_.find(folded_name(name));
  return found == columns_.end() ? nullptr : &found->second.name;
}

void SweepColumns::add(const std::string& name, ColumnRole role) {
  columns_.try_emplace(folded_name(name), Column{name, role});
}

void SweepColumns::set_axes(const std::vector<std::string>& axes) {
  for (auto& [low, column] : columns_)
    if (column.role == ColumnRole::axis) column.role = ColumnRole::setting;
  for (const std::string& axis : axes) columns_.at(folded_name(axis)).role = ColumnRole::axis;
  axes_ = axes;
}

std::vector<std::string> SweepColumns::names(ColumnRole role) const {
  std::vector<std::string> names;
  for (const auto& [folded, column] : columns_)
    if (column.role == role) names.push_back(column.name);
  return names;
}

std::vector<std::string> SweepColumns::in_order() const {
  std::vector<std::string> names(first_columns.begin(), first_columns.end()), summary;
  for (const std::string& axis : axes_) names.push_back(*find(axis));
  for (const auto& [low, column] : columns_) {
    if (column.role == ColumnRole::setting) names.push_back(column.name);
    if (column.role == ColumnRole::summary) summary.push_back(column.name);
  }
  names.emplace_back("command");
  std::stable_sort(summary.begin(), summary.end(), [](const auto& a, const auto& b) {
    return rank_of_summary(a) < rank_of_summary(b);
  });
  names.insert(names.end(), summary.begin(), summary.end());
  return names;
}

}  // namespace kernbench
