// Table by operator (docs/models.md): time, work, bound, communication exposed and hidden, MFU,
// HBM utilisation, tokens per second and energy per token.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"
#include "platform/report/operator_times.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

class OperatorsReport final : public Report,
                              private tlm::tlm_analysis_if<LaunchWorkRow>,
                              private tlm::tlm_analysis_if<EnergyRow> {
 public:
  explicit OperatorsReport(const ReportContext& context)
      : most_(context.rows.value_or(40)), log_(context.log == nullptr ? "" : context.log->path()),
        launch_binding_(context.events.rows<LaunchWorkRow>(), *this),
        energy_binding_(context.events.rows<EnergyRow>(), *this) {
    if (context.machine != nullptr) context.machine->observe_launch_work();
  }

  void close(Fs /*end*/) override {
    if (!log_.empty() && launches_.empty())
      throw UsageError(quote(log_) +
                       " has no work of launches, which --operators needs: no launch has ended");
    sum_ = operators_of(launches_);
  }
  std::string text() override;
  Json json() override;
  std::optional<Table> table() override;

 private:
  void write(const LaunchWorkRow& row) override { launches_.push_back(row); }
  void write(const EnergyRow& row) override {
    if (row.part == "run") energy_pj_ = row.dynamic_pj + row.static_pj;
  }
  double mean_ns(Fs sum) const { return to_ns(sum) / static_cast<double>(sum_.sips); }
  std::string head() const;
  std::string tokens_text() const;
  void add(Table& table, const OperatorTimes& each) const;

  std::size_t most_;  // rows in text
  std::string log_;   // empty: a machine
  std::vector<LaunchWorkRow> launches_;
  std::optional<double> energy_pj_;
  OperatorSummary sum_;
  AnalysisBinding<LaunchWorkRow> launch_binding_;
  AnalysisBinding<EnergyRow> energy_binding_;
};

std::string OperatorsReport::tokens_text() const {
  const auto tokens = static_cast<double>(sum_.tokens);
  std::string text =
      fmt::format("{}: {}/s, {} per token", sum_.tokens, readable_count(sum_.tokens_per_s()),
                  readable_time(to_ns(sum_.window()) / tokens));
  if (energy_pj_) text += fmt::format(", {} per token", readable_energy(*energy_pj_ / tokens));
  return text;
}

std::string OperatorsReport::head() const {
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += named_value(what, value);
  };
  line("operators", fmt::format("{} SIP{}, {} from the first start to the last end", sum_.sips,
                                sum_.sips == 1 ? "" : "s", readable_time(to_ns(sum_.window()))));
  if (sum_.communication > 0)
    line(
        "communication",
        fmt::format("{} per SIP: {} exposed, {} hidden", readable_time(mean_ns(sum_.communication)),
                    readable_time(mean_ns(sum_.exposed)), readable_time(mean_ns(sum_.hidden))));
  if (sum_.peak_macs_per_ns > 0)
    line("MFU", fmt::format("{}: {} of at most {}", percent(sum_.mfu()),
                            readable_count(2.0 * static_cast<double>(sum_.macs), "FLOP"),
                            readable_count(2e9 * sum_.peak_macs_per_ns, "FLOP/s")));
  if (sum_.peak_hbm_gbs > 0)
    line("HBM utilisation",
         fmt::format("{}: {} of at most {:.1f} GB/s", percent(sum_.hbm_utilisation()),
                     readable_bytes(sum_.hbm_bytes), sum_.peak_hbm_gbs));
  if (sum_.tokens > 0) line("tokens", tokens_text());
  return text;
}

void OperatorsReport::add(Table& table, const OperatorTimes& each) const {
  const double time = mean_ns(each.time);
  Table::Row row{each.name, each.launches, readable_time(time), NumberCell{time},
                 ShareCell{each.share}};
  row.emplace_back(readable_count(static_cast<double>(each.flops())));
  row.emplace_back(each.flops());
  for (const std::uint64_t bytes : {each.hbm_bytes, each.remote_bytes}) {
    row.emplace_back(readable_bytes(bytes));
    row.emplace_back(bytes);
  }
  row.emplace_back(each.bound());
  row.emplace_back(ShareCell{each.roofline.share(each.roofline.nearest())});
  for (const Fs part : {each.exposed, each.hidden}) {
    if (each.is_communication) {
      row.emplace_back(readable_time(mean_ns(part)));
      row.emplace_back(NumberCell{mean_ns(part)});
    } else {
      row.insert(row.end(), {NoneCell(), NoneCell()});
    }
  }
  table.add(std::move(row));
}

std::optional<Table> OperatorsReport::table() {
  using Column = Table::Column;
  std::vector<Column> columns{{"operator", "operator"}, {"launches", "launches"}};
  const auto measured = [&columns](const char* title, const char* key) {
    columns.push_back(Column::text_only(title, Table::Align::right));
    columns.push_back(Column::data_only(key));
  };
  measured("time", "time_ns");
  columns.emplace_back("share", "share");
  measured("FLOP", "flops");
  measured("HBM", "hbm_bytes");
  measured("other SIPs", "remote_bytes");
  columns.emplace_back("bound", "bound");
  columns.push_back(Column("of_roof", "of roof").right());
  measured("exposed", "exposed_ns");
  measured("hidden", "hidden_ns");
  const std::size_t cells = columns.size();
  Table table("operators", std::move(columns));
  for (const OperatorTimes& each : sum_.operators) add(table, each);
  if (sum_.operators.empty()) return table;
  const double idle_ns = sum_.idle_share * to_ns(sum_.window());
  Table::Row none{"no launch", NoneCell(), readable_time(idle_ns), NumberCell{idle_ns},
                  ShareCell{sum_.idle_share}};
  none.resize(cells, NoneCell());
  table.add(std::move(none));
  return table;
}

std::string OperatorsReport::text() {
  return sum_.operators.empty() ? "" : head() + '\n' + table()->text("", most_);
}

Report::Json OperatorsReport::json() {
  const auto known = [](bool is_known, double value) { return is_known ? Json(value) : Json(); };
  const bool has_tokens = sum_.tokens > 0;
  const auto tokens = static_cast<double>(sum_.tokens);
  Json json{{"window_ns", ns_json(sum_.window())},
            {"sips", sum_.sips},
            {"flops", 2 * sum_.macs},
            {"hbm_bytes", sum_.hbm_bytes},
            {"mfu", known(sum_.peak_macs_per_ns > 0, sum_.mfu())},
            {"hbm_utilisation", known(sum_.peak_hbm_gbs > 0, sum_.hbm_utilisation())}};
  if (sum_.sips > 0) {
    json["communication_ns"] = mean_ns(sum_.communication);
    json["exposed_ns"] = mean_ns(sum_.exposed);
    json["hidden_ns"] = mean_ns(sum_.hidden);
  }
  json["tokens"] = has_tokens ? Json(sum_.tokens) : Json();
  json["tokens_per_s"] = known(has_tokens, sum_.tokens_per_s());
  json["pj_per_token"] = known(has_tokens && energy_pj_, energy_pj_.value_or(0) / tokens);
  json["operators"] = table()->json();
  return json;
}

const ReportRegistration operators_registration(
    {35, "operators", ReportSource::run | ReportSource::log},
    report_on_flag<OperatorsReport>("--operators",
                                    "Time, work and bound of each operator (launch or "
                                    "collective), MFU, tokens per second"));

}  // namespace
}  // namespace kernbench
