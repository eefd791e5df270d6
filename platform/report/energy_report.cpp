// Energy and power of a run: by component, place, kernel and launch, and over time (spec 11.8).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "platform/events/op_log_player.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

double total_of(const EnergyRow& row) { return row.dynamic_pj + row.static_pj; }
double average_w(double pj, Fs time) {
  return time == 0 ? 0 : pj * 1e3 / static_cast<double>(time);  // 1 pJ / 1 fs = 1000 W
}
Cell share_cell(double part, double whole) {
  if (whole <= 0) return NoneCell();
  return ShareCell{part / whole};
}
bool is_in_pe(const std::string& kind) { return kind.compare(0, 3, "pe_") == 0; }

// Column of an energy: in text with a prefix, in data in pJ.
void add_energy_columns(std::vector<Table::Column>& columns, const char* key, const char* title) {
  columns.push_back(Table::Column::text_only(title, Table::Align::right));
  columns.push_back(Table::Column::data_only(key));
}
void add_energy(Table::Row& row, double pj) {
  row.emplace_back(readable_energy(pj));
  row.emplace_back(NumberCell{pj});
}

class EnergyReport final : public Report,
                           private tlm::tlm_analysis_if<EnergyRow>,
                           private tlm::tlm_analysis_if<PowerRow> {
 public:
  explicit EnergyReport(const ReportContext& context)
      : most_(context.rows.value_or(10)), log_(context.log == nullptr ? "" : context.log->path()),
        energies_(context.events.rows<EnergyRow>(), *this),
        powers_(context.events.rows<PowerRow>(), *this) {
    if (context.machine != nullptr) context.machine->observe_energy(*context.energy_table);
  }

  void close(Fs /*end*/) override {
    if (!log_.empty() && run_.part.empty())
      throw UsageError(log_ + " has no energy, which --energy needs: a run with --energy");
  }
  std::string text() override;
  Json json() override;
  std::optional<Table> table() override { return actions(); }

 private:
  struct Peak {
    double w = 0;
    Fs begin = 0, end = 0;
  };
  void write(const EnergyRow& row) override;
  void write(const PowerRow& row) override;
  Peak peak() const;
  // Energy of the run; of links, routers and memories outside PEs. None: the energy table has no
  // entry for an action that occurred.
  std::optional<double> known_pj() const;
  std::optional<double> moving_pj() const;
  Cell per_mac_cell(const EnergyRow& row) const {
    if (row.macs == 0 || !known_pj()) return NoneCell();
    return NumberCell{total_of(row) / static_cast<double>(row.macs)};
  }
  std::string head() const;
  Table kinds() const;
  Table actions() const;
  Table places() const;
  Table executions(const char* name, const std::vector<EnergyRow>& rows) const;

  std::size_t most_;  // rows of a table in text
  std::string log_;   // empty: a machine
  EnergyRow run_;
  std::vector<EnergyRow> actions_, places_, kernels_, launches_, unknown_;
  std::map<Fs, Peak> windows_;  // by begin
  AnalysisBinding<EnergyRow> energies_;
  AnalysisBinding<PowerRow> powers_;
};

void EnergyReport::write(const EnergyRow& row) {
  if (row.part == "run") run_ = row;
  if (row.part == "action") actions_.push_back(row);
  if (row.part == "unknown") unknown_.push_back(row);
  if (row.part == "place") places_.push_back(row);
  if (row.part == "kernel") kernels_.push_back(row);
  if (row.part == "launch") launches_.push_back(row);
}

void EnergyReport::write(const PowerRow& row) {
  if (row.part != "place") return;
  Peak& window = windows_[row.begin];
  window.w += row.w;
  window.begin = row.begin;
  window.end = row.end;
}

EnergyReport::Peak EnergyReport::peak() const {
  Peak peak;
  for (const auto& [begin, window] : windows_) {
    if (window.w > peak.w) peak = window;
  }
  return peak;
}

std::optional<double> EnergyReport::known_pj() const {
  const bool any = std::any_of(actions_.begin(), actions_.end(),
                               [](const EnergyRow& row) { return row.count > 0; });
  return any ? std::optional(total_of(run_)) : std::nullopt;
}

std::optional<double> EnergyReport::moving_pj() const {
  std::optional<double> pj;
  for (const EnergyRow& row : actions_) {
    if (!is_in_pe(row.name) && row.item != EnergyTable::static_power && row.count > 0)
      pj = pj.value_or(0) + row.dynamic_pj;
  }
  return pj;
}

std::string EnergyReport::head() const {
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += named_value(what, value);
  };
  const auto known = [](const std::optional<double>& pj, auto format) {
    return pj ? format(*pj) : std::string("-");
  };
  line("energy", known(known_pj(), [this](double total) {
                   return fmt::format("{}: {} of actions, {} static", readable_energy(total),
                                      readable_energy(run_.dynamic_pj),
                                      readable_energy(run_.static_pj));
                 }) + fmt::format("  ({})", run_.name));
  line("power", known(known_pj(), [this](double total) {
         const Peak most = peak();
         return fmt::format("average {}, peak {} from {} to {}",
                            readable_power(average_w(total, run_.length)), readable_power(most.w),
                            readable_time(to_ns(most.begin)), readable_time(to_ns(most.end)));
       }));
  if (run_.macs > 0)
    line("energy per MAC", known(known_pj(), [this](double total) {
           return fmt::format("{:.3f} pJ over {} multiply-accumulates",
                              total / static_cast<double>(run_.macs), run_.macs);
         }));
  if (run_.count > 0)
    line("energy per bit", known(moving_pj(), [this](double moving) {
           return fmt::format("{:.3f} pJ outside PEs over {} read and written in memories",
                              moving / (8 * run_.count),
                              readable_bytes(static_cast<std::uint64_t>(run_.count)));
         }));
  line("energy-delay", known(known_pj(), [this](double total) {
         return fmt::format("{:.4g} J s", total * 1e-12 * to_ns(run_.length) * 1e-9);
       }));
  std::string unknown;
  for (const EnergyRow& row : unknown_)
    unknown += fmt::format("{}{}.{}{}", unknown.empty() ? "" : ", ", row.name, row.item,
                           row.count > 0 ? fmt::format(" ({:.0f})", row.count) : " (not counted)");
  if (!unknown.empty())
    line("unknown energy", unknown +
                               ": not in the sums, for lack of an entry in the energy table "
                               "or of a counter");
  return text;
}

// Components and links by kind, the largest first.
Table EnergyReport::kinds() const {
  std::vector<Table::Column> columns{{"kind", "component or link"}};
  add_energy_columns(columns, "energy_pj", "energy");
  columns.push_back(Table::Column("share", "share").right());
  add_energy_columns(columns, "dynamic_pj", "of actions");
  add_energy_columns(columns, "static_pj", "static");
  columns.push_back(Table::Column::text_only("average power", Table::Align::right));
  columns.push_back(Table::Column::data_only("average_w"));
  Table table("kinds", columns);
  std::vector<EnergyRow> sums;
  for (const EnergyRow& row : actions_) {
    auto sum = std::find_if(sums.begin(), sums.end(),
                            [&row](const EnergyRow& each) { return each.name == row.name; });
    if (sum == sums.end()) {
      sum = sums.insert(sum, EnergyRow());
      sum->name = row.name;
    }
    sum->dynamic_pj += row.dynamic_pj;
    sum->static_pj += row.static_pj;
  }
  std::stable_sort(sums.begin(), sums.end(), [](const EnergyRow& a, const EnergyRow& b) {
    return total_of(a) > total_of(b);
  });
  for (const EnergyRow& sum : sums) {
    if (total_of(sum) == 0) continue;
    Table::Row row{sum.name};
    add_energy(row, total_of(sum));
    row.push_back(share_cell(total_of(sum), total_of(run_)));
    add_energy(row, sum.dynamic_pj);
    add_energy(row, sum.static_pj);
    const double w = average_w(total_of(sum), run_.length);
    row.emplace_back(readable_power(w));
    row.emplace_back(NumberCell{w});
    table.add(std::move(row));
  }
  return table;
}

Table EnergyReport::actions() const {
  std::vector<Table::Column> columns{
      {"kind", "component or link"}, {"action", "action"}, {"count", "count"}};
  columns.push_back(Table::Column("pj_each", "pJ each").right());
  add_energy_columns(columns, "energy_pj", "energy");
  columns.push_back(Table::Column("share", "share").right());
  Table table("actions", columns);
  std::vector<EnergyRow> rows;
  for (const EnergyRow& row : actions_) {
    if (total_of(row) > 0) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const EnergyRow& a, const EnergyRow& b) {
    return total_of(a) > total_of(b);
  });
  for (const EnergyRow& each : rows) {
    Table::Row row{each.name, each.item, static_cast<std::uint64_t>(each.count)};
    row.push_back(each.static_pj > 0 ? Cell(NoneCell()) : Cell(NumberCell{each.pj}));
    add_energy(row, total_of(each));
    row.push_back(share_cell(total_of(each), total_of(run_)));
    table.add(std::move(row));
  }
  return table;
}

// SIPs, cubes, PEs: within a level the largest first.
Table EnergyReport::places() const {
  std::vector<Table::Column> columns{{"place", "place"}, {"level", "level"}};
  add_energy_columns(columns, "energy_pj", "energy");
  columns.push_back(Table::Column("share", "share").right());
  add_energy_columns(columns, "dynamic_pj", "of actions");
  add_energy_columns(columns, "static_pj", "static");
  columns.push_back(Table::Column("pj_per_mac", "pJ per MAC").right());
  Table table("places", columns);
  for (const std::string level : {"system", "sip", "cube", "pe"}) {
    std::vector<EnergyRow> rows;
    for (const EnergyRow& row : places_) {
      if (row.item == level) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const EnergyRow& a, const EnergyRow& b) {
      return a.dynamic_pj > b.dynamic_pj;
    });
    for (const EnergyRow& each : rows) {
      Table::Row row{each.name, each.item};
      add_energy(row, total_of(each));
      row.push_back(share_cell(total_of(each), total_of(run_)));
      add_energy(row, each.dynamic_pj);
      add_energy(row, each.static_pj);
      row.push_back(per_mac_cell(each));
      table.add(std::move(row));
    }
  }
  return table;
}

// Kernels over all launches, or launches.
Table EnergyReport::executions(const char* name, const std::vector<EnergyRow>& rows) const {
  const bool is_launches = &rows == &launches_;
  std::vector<Table::Column> columns;
  if (is_launches) columns.emplace_back("launch", "launch");
  columns.emplace_back("kernel", "kernel");
  if (!is_launches) columns.emplace_back("launches", "launches");
  columns.emplace_back("time_ns", "time");
  add_energy_columns(columns, "energy_pj", "energy");
  columns.push_back(Table::Column("share", "share").right());
  add_energy_columns(columns, "dynamic_pj", "of actions");
  add_energy_columns(columns, "static_pj", "static");
  columns.push_back(Table::Column::text_only("power", Table::Align::right));
  columns.push_back(Table::Column::data_only("average_w"));
  columns.push_back(Table::Column("pj_per_mac", "pJ per MAC").right());
  columns.push_back(Table::Column::data_only("energy_delay_js"));
  Table table(name, columns);
  for (const EnergyRow& each : rows) {
    Table::Row row{each.name};
    if (is_launches) row.emplace_back(each.item);
    const bool is_kernel = each.count > 0;
    if (!is_launches)
      row.push_back(is_kernel ? Cell(static_cast<std::uint64_t>(each.count)) : Cell(NoneCell()));
    row.push_back(is_kernel ? Cell(TimeCell{each.length}) : Cell(NoneCell()));
    add_energy(row, total_of(each));
    row.push_back(share_cell(total_of(each), total_of(run_)));
    add_energy(row, each.dynamic_pj);
    add_energy(row, each.static_pj);
    const double w = average_w(total_of(each), each.length);
    row.push_back(is_kernel ? Cell(readable_power(w)) : Cell(NoneCell()));
    row.push_back(is_kernel ? Cell(NumberCell{w}) : Cell(NoneCell()));
    row.push_back(per_mac_cell(each));
    row.push_back(is_kernel && known_pj()
                      ? Cell(NumberCell{total_of(each) * 1e-21 * to_ns(each.length)})
                      : Cell(NoneCell()));
    table.add(std::move(row));
  }
  return table;
}

std::string EnergyReport::text() {
  if (run_.part.empty()) return "";
  std::string text = head();
  const auto add = [&text](const Table& table, std::size_t most) {
    if (!table.empty()) text += '\n' + table.text("", most);
  };
  add(kinds(), most_);
  add(actions(), most_);
  add(places(), most_);
  add(executions("kernels", kernels_), most_);
  if (launches_.size() > 1) add(executions("launches", launches_), most_);
  return text;
}

Report::Json EnergyReport::json() {
  if (run_.part.empty()) return nullptr;
  const Peak most = peak();
  const std::optional<double> total = known_pj(), moving = moving_pj();
  const auto known = [](bool is_known, double value) { return is_known ? Json(value) : Json(); };
  const auto per = [&known](const std::optional<double>& pj, double of) {
    return known(pj && of > 0, pj.value_or(0) / of);
  };
  Json json{{"energy_table", run_.name},
            {"energy_pj", known(total.has_value(), total.value_or(0))},
            {"dynamic_pj", run_.dynamic_pj},
            {"static_pj", run_.static_pj},
            {"time_ns", ns_json(run_.length)},
            {"average_w", known(total.has_value(), average_w(total.value_or(0), run_.length))},
            {"peak_w", known(total.has_value(), most.w)},
            {"peak_from_ns", ns_json(most.begin)},
            {"peak_to_ns", ns_json(most.end)},
            {"macs", run_.macs},
            {"pj_per_mac", per(total, static_cast<double>(run_.macs))},
            {"bytes_moved", static_cast<std::uint64_t>(run_.count)},
            {"pj_per_bit", per(moving, 8 * run_.count)},
            {"energy_delay_js",
             known(total.has_value(), total.value_or(0) * 1e-21 * to_ns(run_.length))}};
  json["unknown"] = Json::array();
  for (const EnergyRow& row : unknown_)
    json["unknown"].push_back({{"kind", row.name},
                               {"action", row.item},
                               {"count", row.count > 0 ? Json(row.count) : Json()}});
  for (const Table& table : {kinds(), actions(), places(), executions("kernels", kernels_),
                             executions("launches", launches_)})
    json[table.name()] = table.json();
  return json;
}

const ReportRegistration energy_registration(
    {40, "energy", ReportSource::machine | ReportSource::log},
    report_on_flag<EnergyReport>(
        "--energy", "Energy and power by component, place, kernel and launch (--energy-table)"));

}  // namespace
}  // namespace kernbench
