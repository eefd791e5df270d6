#include "platform/sweep/summary_columns.h"

#include <algorithm>

#include "platform/output/json_text.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 64;

class Flattening {
 public:
  explicit Flattening(const RowNames& row_names) : row_names_(row_names) {}

  void members(const Json& object, const std::string& prefix,
               const std::vector<std::string>* names) {
    for (const auto& [key, value] : object.items()) {
      const auto own = prefix.empty() ? row_names_.find(key) : row_names_.end();
      add(value, prefix + key, own == row_names_.end() ? names : &own->second);
    }
  }

  SummaryColumns columns;

 private:
  void add(const Json& value, const std::string& name, const std::vector<std::string>* names) {
    if (value.is_null()) return;
    if (value.is_object()) return members(value, name + '.', names);
    if (value.is_array()) return rows(value, name + '.', names);
    if (value.is_string() || value.is_number_integer()) {
      columns.emplace_back(name, value);
    } else if (value.is_boolean()) {
      columns.emplace_back(name, value.get<bool>() ? 1 : 0);
    } else if (value.is_primitive()) {
      columns.emplace_back(name, to_double(value));
    }
  }

  void rows(const Json& list, const std::string& prefix, const std::vector<std::string>* names) {
    if (list.size() > most_rows) return;
    std::map<std::string, int> seen;
    for (const Json& row : list) {
      if (!row.is_object()) return;
      const std::vector<std::string> keys = names != nullptr ? *names : leading_texts(row);
      Json values = row;
      std::string name;
      for (const std::string& key : keys) {
        const auto text = values.find(key);
        if (text == values.end() || !text->is_string()) continue;
        if (!text->get<std::string>().empty())
          name += (name.empty() ? "" : ".") + text->get<std::string>();
        values.erase(key);
      }
      const int number = ++seen[name];
      if (number > 1 || name.empty()) name += (name.empty() ? "" : ".") + std::to_string(number);
      members(values, prefix + name + '.', names);
    }
  }

  static std::vector<std::string> leading_texts(const Json& row) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : row.items()) {
      if (!value.is_string()) break;
      keys.push_back(key);
    }
    return keys;
  }

  const RowNames& row_names_;
};

}  // namespace

SummaryColumns columns_of(const Json& summary, const RowNames& row_names) {
  Flattening flattening(row_names);
  flattening.members(summary, "", nullptr);
  return std::move(flattening.columns);
}

}  // namespace kernbench
