#include "platform/sweep/sensitivity_table.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/sweep/expression.h"
#include "platform/sweep/result_reader.h"

namespace kernbench {
namespace {

using Results = std::map<std::string, VariationResult>;

// Variation and its result. `variation` is null: the row has no value on this side.
struct Measured {
  const Variation* variation = nullptr;
  const VariationResult* result = nullptr;  // null: has not run

  std::optional<double> value() const { return result == nullptr ? std::nullopt : result->value; }
};

struct TornadoRow {
  const VariedKey* key = nullptr;
  Measured low, high;  // a choice is in `high`
  double effect = 0;
};

double change(double value, double base) { return (value - base) / std::abs(base); }

std::optional<double> elasticity(const TornadoRow& row, double base) {
  struct At {
    double x, y;
  };
  std::vector<At> ends;
  const auto add = [&ends](const std::string& x, const std::optional<double>& y) {
    const std::optional<double> number = number_of(x);
    if (number && y && *number > 0 && *y > 0) ends.push_back({*number, *y});
  };
  if (row.low.variation != nullptr) add(row.low.variation->values.front(), row.low.value());
  add(row.key->base(), base);
  if (row.high.variation != nullptr) add(row.high.variation->values.front(), row.high.value());
  if (ends.size() < 2 || ends.front().x == ends.back().x) return std::nullopt;
  return std::log(ends.back().y / ends.front().y) / std::log(ends.back().x / ends.front().x);
}

// Whether both changes have the same sign, so that the elasticity says little.
bool is_turning(const TornadoRow& row, double base) {
  const std::optional<double> low = row.low.value(), high = row.high.value();
  return low && high && (*low - base) * (*high - base) > 0;
}

const char* step_of(const TornadoRow& row) {
  const Measured& side = row.high.variation != nullptr ? row.high : row.low;
  if (side.variation->side == Variation::Side::choice) return "choice";
  const bool both = row.low.variation == nullptr || row.high.variation == nullptr ||
                    row.low.variation->is_step == row.high.variation->is_step;
  if (!both) return "step, neighbour";
  return side.variation->is_step ? "step" : "neighbours";
}

Cell value_cell(const Measured& side) {
  if (side.variation == nullptr) return NoneCell{};
  const std::optional<double> number = number_of(side.variation->values.front());
  return number ? Cell(NumberCell{*number}) : Cell(side.variation->values.front());
}

Cell result_cell(const Measured& side) {
  const std::optional<double> value = side.value();
  return value ? Cell(NumberCell{*value}) : Cell(NoneCell{});
}

Cell change_cell(const Measured& side, double base) {
  const std::optional<double> value = side.value();
  return value ? Cell(ShareCell{change(*value, base)}) : Cell(NoneCell{});
}

std::string value_text(const Measured& side) {
  return side.variation == nullptr ? "-" : side.variation->values.front();
}

// "5743.2 (+4.76 %)"
std::string result_text(const Measured& side, double base) {
  if (side.variation == nullptr) return "-";
  if (side.result == nullptr) return "not run";
  const std::optional<double> value = side.value();
  if (!value) return "failed";
  return fmt::format("{} ({:+.2f} %)", decimal_text(*value, 6), 100 * change(*value, base));
}

Cell message_cell(const Measured& side) {
  if (side.variation == nullptr || side.value()) return NoneCell{};
  return side.result == nullptr ? "not run" : side.result->message;
}

std::vector<TornadoRow> rows_of(const std::vector<VariedKey>& keys, const Results& results,
                                double base) {
  std::vector<TornadoRow> rows;
  for (const VariedKey& key : keys) {
    TornadoRow numeric{&key, {}, {}};
    for (const Variation& each : key.variations) {
      const auto result = results.find(variation_label(key, each));
      const Measured side{&each, result == results.end() ? nullptr : &result->second};
      if (each.side == Variation::Side::choice) {
        rows.push_back({&key, {}, side});
      } else {
        (each.side == Variation::Side::low ? numeric.low : numeric.high) = side;
      }
    }
    if (numeric.low.variation != nullptr || numeric.high.variation != nullptr)
      rows.push_back(numeric);
  }
  for (TornadoRow& row : rows) {
    for (const Measured* side : {&row.low, &row.high})
      row.effect = std::max(row.effect, std::abs(change(side->value().value_or(base), base)));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TornadoRow& a, const TornadoRow& b) { return a.effect > b.effect; });
  return rows;
}

Table empty_table() {
  using Column = Table::Column;
  const auto number = [](const char* title) {
    return Column::text_only(title, Table::Align::right);
  };
  const auto data = [](const char* key) { return Column::data_only(key); };
  return Table("sensitivity", {Column("key", "key"),
                               number("base"),
                               number("low"),
                               number("high"),
                               number("at low"),
                               number("at high"),
                               Column("elasticity", "elasticity").right(),
                               Column("values", "values"),
                               data("monotone"),
                               data("unit"),
                               data("base"),
                               data("low"),
                               data("high"),
                               data("at_base"),
                               data("at_low"),
                               data("at_high"),
                               data("change_at_low"),
                               data("change_at_high"),
                               data("message_at_low"),
                               data("message_at_high")});
}

}  // namespace

Results variation_results(const std::string& path, const std::string& column) {
  const std::vector<std::string> names = ResultReader(path).names("");
  if (std::find(names.begin(), names.end(), column) == names.end())
    throw UsageError(fmt::format("--of {}: the results have no such column{}", quote(column),
                                 did_you_mean(column, names)));
  const SQLite::Database database = open_read_only(path);
  SQLite::Statement rows(database, fmt::format("SELECT {}, status, message, {} FROM results",
                                               variation_axis, sql_name(column)));
  Results results;
  while (rows.executeStep()) {
    VariationResult& result = results[rows.getColumn(0).getString()];
    result.message = rows.getColumn(2).getString();
    const SQLite::Column value = rows.getColumn(3);
    if (value.isText())
      throw UsageError(fmt::format("--of {}: found {}, a text; allowed is a column of numbers",
                                   quote(column), quote(value.getString())));
    if (rows.getColumn(1).getString() != "failed" && !value.isNull())
      result.value = value.getDouble();
  }
  return results;
}

Table sensitivity_table(const std::vector<VariedKey>& keys, const std::string& column,
                        const Results& results) {
  const auto at_base = results.find(base_variation);
  if (at_base == results.end() || !at_base->second.value || *at_base->second.value == 0)
    throw Error(fmt::format("no table: the base point {}", at_base == results.end() ? "has not run"
                                                           : !at_base->second.value
                                                               ? "has no " + column
                                                               : "has 0 as " + column));
  const double base = *at_base->second.value;
  Table table = empty_table();
  for (const TornadoRow& row : rows_of(keys, results, base)) {
    const std::optional<double> slope = elasticity(row, base);
    const Cell number = slope ? Cell(NumberCell{*slope}) : Cell(NoneCell{});
    const std::optional<double> at = number_of(row.key->base());
    table.add({row.key->name(),
               row.key->base(),
               value_text(row.low),
               value_text(row.high),
               result_text(row.low, base),
               result_text(row.high, base),
               number,
               std::string(step_of(row)) + (is_turning(row, base) ? ", not monotone" : ""),
               Cell(is_turning(row, base) ? "no" : "yes"),
               row.key->unit,
               at ? Cell(NumberCell{*at}) : Cell(row.key->base()),
               value_cell(row.low),
               value_cell(row.high),
               NumberCell{base},
               result_cell(row.low),
               result_cell(row.high),
               change_cell(row.low, base),
               change_cell(row.high, base),
               message_cell(row.low),
               message_cell(row.high)});
  }
  return table;
}

}  // namespace kernbench
