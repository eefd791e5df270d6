// Engines, memories and links of a machine by kind: busy times and bytes of a run (spec 11.3).
#include <fmt/format.h>

#include "platform/assembly/external_accesses.h"
#include "platform/output/json_text.h"
#include "platform/report/report.h"

namespace kernbench {

namespace {

// "dma_read" for "dma_read_busy_ns"; none: not a busy time.
std::optional<std::string> part_of(const StatisticRow& row) {
  static const std::string end = "busy_ns";
  const std::string& name = row.statistic;
  if (row.unit != "fs" || name.size() < end.size() ||
      name.compare(name.size() - end.size(), end.size(), end) != 0)
    return std::nullopt;
  return name.substr(0, name.size() - std::min(name.size(), end.size() + 1));
}

bool is_memory(const std::string& kind) {
  return kind == "hbm_ctrl" || kind == "sram" || kind == "pe_tcm" || kind == "tlm_target";
}

Cell share_of(Fs busy, Fs time) {
  if (time == 0) return NoneCell();
  return ShareCell{static_cast<double>(busy) / static_cast<double>(time)};
}

// Busy times of the engines, each over all PEs that used it.
class EnginesReport final : public Report {
 public:
  explicit EnginesReport(const ReportContext& context)
      : activity_(context.events), statistics_(context.events) {}

  std::string text() override { return text_of(engines()); }
  Json json() override { return engines().json(); }
  std::optional<Table> table() override { return engines(); }

 private:
  Table engines() const {
    Table table("engines", {{"engine", "engine"},
                            {"part", "part"},
                            {"pes", "PEs"},
                            {"busy_ns", "busy"},
                            Table::Column("utilisation", "of PE window").right()});
    Fs window = 0;
    for (const ActivityRow& row : activity_.all())
      window = row.pe_end.value_or(0) - row.pe_begin.value_or(0);
    for (const StatisticRow& row : statistics_.all()) {
      const std::optional<std::string> part = part_of(row);
      if (!part || row.kind.compare(0, 3, "pe_") != 0 || row.value == 0) continue;
      const Fs time = window * row.places;
      table.add({row.kind, *part, row.active, TimeCell{row.value}, share_of(row.value, time)});
    }
    return table;
  }

  CollectedRows<ActivityRow> activity_;
  CollectedRows<StatisticRow> statistics_;
};

// Bytes counted by the memories.
class MemoriesReport final : public Report {
 public:
  explicit MemoriesReport(const ReportContext& context) : statistics_(context.events) {}

  std::string text() override {
    const std::string shares = text_of(this->shares());
    return text_of(memories()) + (shares.empty() ? "" : "\n" + shares);
  }
  Json json() override {
    Json json = Json::object();
    for (const StatisticRow& row : statistics_.all()) {
      if (!is_memory(row.kind)) continue;
      if (row.unit == "B") json[row.kind][row.statistic] = row.value;
      if (row.unit == "ppm") json[row.kind][row.statistic] = share_of(row);
    }
    return json;
  }
  std::optional<Table> table() override { return memories(); }

 private:
  static double share_of(const StatisticRow& row) { return static_cast<double>(row.value) / 1e6; }
  Table shares() const {
    Table table(
        "memory_shares",
        {{"memory", "memory"}, {"share", "share"}, Table::Column("value", "value").right()});
    for (const StatisticRow& row : statistics_.all()) {
      if (is_memory(row.kind) && row.unit == "ppm" && row.active > 0)
        table.add({row.kind, row.statistic, ShareCell{share_of(row)}});
    }
    return table;
  }
  Table memories() const {
    Table table("memories", {{"memory", "memory"},
                             {"counted", "counted"},
                             {"used", "used"},
                             {"bytes", "bytes"},
                             Table::Column::text_only("", Table::Align::right)});
    for (const StatisticRow& row : statistics_.all()) {
      if (is_memory(row.kind) && row.unit == "B" && row.value > 0)
        table.add({row.kind, row.statistic, row.active, row.value, readable_bytes(row.value)});
    }
    return table;
  }

  CollectedRows<StatisticRow> statistics_;
};

// Traffic of the links, and the busiest link of each kind.
class LinksReport final : public Report {
 public:
  explicit LinksReport(const ReportContext& context) : links_(context.events) {}

  std::string text() override { return text_of(links(true)); }
  Json json() override { return links(false).json(); }
  std::optional<Table> table() override { return links(false); }

 private:
  Table links(bool only_used) const {
    Table table("links", {{"kind", "links"},
                          Table::Column::text_only("used", Table::Align::right),
                          Table::Column::data_only("links"),
                          Table::Column::data_only("used"),
                          {"bytes", "bytes"},
                          Table::Column::text_only("", Table::Align::right),
                          {"busiest_utilisation", "busiest"},
                          {"busiest_link", "which"}});
    for (const LinkKindRow& row : links_.all()) {
      if (only_used && row.bytes == 0) continue;
      table.add({row.kind, fmt::format("{} of {}", row.used, row.links), row.links, row.used,
                 row.bytes, readable_bytes(row.bytes), ShareCell{row.busiest}, row.busiest_link});
    }
    return table;
  }

  CollectedRows<LinkKindRow> links_;
};

constexpr unsigned utilisation_sources =
    ReportSource::run | ReportSource::initiators | ReportSource::log;
const ReportRegistration engines_registration({20, "engines", utilisation_sources},
                                              report_in_summary<EnginesReport>());
const ReportRegistration memories_registration({21, "memories", utilisation_sources},
                                               report_in_summary<MemoriesReport>());
const ReportRegistration links_registration({22, "links", utilisation_sources},
                                            report_in_summary<LinksReport>());

}  // namespace

namespace {

class InitiatorsReport final : public Report {
 public:
  explicit InitiatorsReport(const ReportContext& context)
      : platform_(context.machine->platform()) {}

  std::string text() override { return text_of(initiators()); }
  Json json() override {
    const Table table = initiators();
    return table.empty() ? Json() : table.json();
  }

 private:
  Table initiators() const {
    Table table("initiators", {{"initiator", "initiator"},
                               {"module", "module"},
                               {"reads", "reads"},
                               {"writes", "writes"},
                               {"bytes_read", "bytes read"},
                               {"bytes_written", "bytes written"},
                               {"failed", "failed"},
                               Table::Column::data_only("first_failure"),
                               {"last_end_ns", "last end"}});
    for (const ExternalAccesses& initiator : initiator_accesses(platform_)) {
      const TlmBridge::Accesses& all = initiator.accesses;
      Cell failure;
      if (all.errors > 0) failure = all.first_error;
      table.add({initiator.node, initiator.module, all.reads, all.writes, all.bytes_read,
                 all.bytes_written, all.errors, failure, TimeCell{all.last_end}});
    }
    return table;
  }

  const Platform& platform_;
};

const ReportRegistration initiators_registration({12, "initiators",
                                                  ReportSource::run | ReportSource::initiators},
                                                 report_in_summary<InitiatorsReport>());

}  // namespace

}  // namespace kernbench
