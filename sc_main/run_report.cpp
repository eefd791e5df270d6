#include "sc_main/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <ostream>

#include "platform/observe/json_text.h"
#include "platform/observe/text_table.h"
#include "platform/observe/transfer_breakdown.h"
#include "sc_main/memory_limit.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

// One row of the table of engines: a statistic of busy time, over all PEs that used the engine.
struct EngineRow {
  std::string engine, part;  // "pe_dma", "dma_read"
  std::size_t active = 0;
  Fs busy = 0;
  std::optional<double> utilisation;  // of the PE window
};

std::vector<EngineRow> engine_rows(const RunStatistics& statistics) {
  static const std::string busy = "busy";
  std::vector<EngineRow> rows;
  for (const KindTotal& kind : statistics.kinds) {
    if (kind.kind.compare(0, 3, "pe_") != 0 || kind.active == 0) continue;
    for (const StatisticTotal& total : kind.totals) {
      if (total.quantity != Quantity::time_fs || total.value == 0 ||
          total.name.size() < busy.size() ||
          total.name.compare(total.name.size() - busy.size(), busy.size(), busy) != 0) {
        continue;
      }
      EngineRow row{
          kind.kind,
          total.name.substr(0, total.name.size() - std::min(total.name.size(), busy.size() + 1)),
          kind.active,
          total.value,
          {}};
      const Fs window = statistics.activity.all.length();
      if (window > 0)
        row.utilisation = static_cast<double>(total.value) /
                          (static_cast<double>(window) * static_cast<double>(kind.active));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

bool is_memory(const std::string& kind) {
  return kind == "hbm_ctrl" || kind == "sram" || kind == "pe_tcm" || kind == "tlm_target";
}

std::string window_text(const Window& window) {
  if (window.empty()) return "none";
  return fmt::format("{}  ({} to {})", readable_time(to_ns(window.length())),
                     readable_time(to_ns(window.begin)), readable_time(to_ns(window.end)));
}

std::string ratio_text(const std::optional<double>& ratio) { return ratio ? percent(*ratio) : "-"; }

Json ratio_json(const std::optional<double>& ratio) { return ratio ? Json(*ratio) : Json(); }

std::string joined_parameters(const RunReport& report) {
  std::string text;
  for (const auto& [name, value] : report.parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "none" : text;
}

double rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

std::string counted(int number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// The mode is one of segments.
std::string addresses_text(const MemoryMapSpec& map) {
  std::string text(name_of(map.address_model));
  if (map.address_model == AddressModel::la)
    return fmt::format("{}, {}", text, name_of(map.hbm_mapping_mode));
  if (map.hbm_mapping_mode == HbmMapping::one_to_one)
    text += "  (hbm_mapping_mode one_to_one is of use with la only)";
  return text;
}

void print_head(std::ostream& out, const RunReport& report, const RunStatistics& statistics) {
  const auto line = [&out](const char* what, const std::string& value) {
    out << fmt::format("{:<18} {}\n", what, value);
  };
  const MachineSpec& spec = statistics.platform.graph().spec();
  const bool bench = !report.bench.empty();
  if (bench) {
    line("bench", report.bench);
    line("parameters", joined_parameters(report));
  }
  line("topology",
       fmt::format("{}  ({} x {} x {})", report.topology, counted(spec.system.sips.count, "SIP"),
                   counted(spec.sip.cubes(), "cube"), counted(spec.cube.pe_layout.pes(), "PE")));
  if (const std::string addresses = addresses_text(spec.cube.memory_map); addresses != "va")
    line("addresses", addresses);
  if (bench) {
    line("device", report.device);
    line("seed", fmt::format("{}", report.seed));
  }
  line("data", report.data);
  line("simulated time", readable_time(to_ns(report.simulated)));
  if (!bench) return;
  line("PE window", window_text(statistics.activity.all));
  line("composite window", window_text(statistics.activity.composite));
  line("MAC utilisation", ratio_text(statistics.activity.mac_utilisation));
  line("useful efficiency", ratio_text(statistics.activity.useful_efficiency));
}

void print_initiators(std::ostream& out, const std::vector<ExternalAccesses>& initiators) {
  TextTable table({{"initiator"},
                   {"module"},
                   {"reads", Align::right},
                   {"writes", Align::right},
                   {"bytes read", Align::right},
                   {"bytes written", Align::right},
                   {"failed", Align::right},
                   {"last end", Align::right}});
  for (const ExternalAccesses& initiator : initiators) {
    const TlmBridge::Accesses& all = initiator.accesses;
    table.add({initiator.node, initiator.module, fmt::format("{}", all.reads),
               fmt::format("{}", all.writes), fmt::format("{}", all.bytes_read),
               fmt::format("{}", all.bytes_written), fmt::format("{}", all.errors),
               readable_time(to_ns(all.last_end))});
  }
  if (!table.empty()) out << '\n' << table.text();
}

Json initiators_json(const std::vector<ExternalAccesses>& initiators) {
  Json list = Json::array();
  for (const ExternalAccesses& initiator : initiators) {
    const TlmBridge::Accesses& all = initiator.accesses;
    list.push_back({{"initiator", initiator.node},
                    {"module", initiator.module},
                    {"reads", all.reads},
                    {"writes", all.writes},
                    {"bytes_read", all.bytes_read},
                    {"bytes_written", all.bytes_written},
                    {"failed", all.errors},
                    {"first_failure", all.errors == 0 ? Json() : Json(all.first_error)},
                    {"last_end_ns", ns_json(all.last_end)}});
  }
  return list;
}

void print_tables(std::ostream& out, const RunReport& report, const RunStatistics& statistics) {
  print_initiators(out, report.initiators);
  TextTable engines({{"engine"},
                     {"part"},
                     {"PEs", Align::right},
                     {"busy", Align::right},
                     {"of PE window", Align::right}});
  for (const EngineRow& row : engine_rows(statistics)) {
    engines.add({row.engine, row.part, fmt::format("{}", row.active),
                 readable_time(to_ns(row.busy)), ratio_text(row.utilisation)});
  }
  if (!engines.empty()) out << '\n' << engines.text();

  TextTable memories({{"memory"},
                      {"counted"},
                      {"used", Align::right},
                      {"bytes", Align::right},
                      {"", Align::right}});
  for (const KindTotal& kind : statistics.kinds) {
    if (!is_memory(kind.kind)) continue;
    for (const StatisticTotal& total : kind.totals) {
      if (total.quantity != Quantity::bytes || total.value == 0) continue;
      memories.add({kind.kind, total.key, fmt::format("{}", kind.active),
                    fmt::format("{}", total.value), readable_bytes(total.value)});
    }
  }
  if (!memories.empty()) out << '\n' << memories.text();

  TextTable links({{"links"},
                   {"used", Align::right},
                   {"bytes", Align::right},
                   {"", Align::right},
                   {"busiest", Align::right},
                   {"which"}});
  for (const LinkTotal& link : statistics.links) {
    if (link.bytes == 0) continue;
    links.add({std::string(name_of(link.kind)), fmt::format("{} of {}", link.used, link.links),
               fmt::format("{}", link.bytes), readable_bytes(link.bytes), percent(link.busiest),
               link.busiest_link});
  }
  if (!links.empty()) out << '\n' << links.text();

  TextTable kernels({{"kernel"},
                     {"device"},
                     {"PEs", Align::right},
                     {"pe_exec", Align::right},
                     {"dma", Align::right},
                     {"compute", Align::right}});
  for (const KernelReport& kernel : report.kernels) {
    kernels.add({kernel.kernel, kernel.devices, fmt::format("{}", kernel.per_pe.size()),
                 readable_time(to_ns(kernel.merged.pe_exec)),
                 readable_time(to_ns(kernel.merged.dma)),
                 readable_time(to_ns(kernel.merged.compute))});
  }
  if (!kernels.empty()) out << '\n' << kernels.text();
  if (report.breakdown != nullptr) out << '\n' << report.breakdown->text();
}

struct CellText {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::int64_t count) const { return fmt::format("{}", count); }
  std::string operator()(double number) const { return fmt::format("{:.3f}", number); }
};

struct CellJson {
  Json operator()(std::monostate) const { return {}; }
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

void print_results(std::ostream& out, const std::vector<ResultTable>& results) {
  for (const ResultTable& result : results) {
    std::vector<TextTable::Column> columns;
    for (std::size_t i = 0; i < result.columns().size(); ++i) {
      const bool is_text =
          !result.rows().empty() && std::holds_alternative<std::string>(result.rows().front()[i]);
      columns.push_back({result.columns()[i], is_text ? Align::left : Align::right});
    }
    TextTable table(std::move(columns));
    for (const auto& row : result.rows()) {
      std::vector<std::string> cells;
      for (const ResultTable::Cell& cell : row) cells.push_back(std::visit(CellText{}, cell));
      table.add(std::move(cells));
    }
    out << '\n' << result.name() << '\n' << table.text("  ");
  }
}

Json results_json(const std::vector<ResultTable>& results) {
  Json tables = Json::array();
  for (const ResultTable& result : results) {
    Json rows = Json::array();
    for (const auto& row : result.rows()) {
      Json entry = Json::object();
      for (std::size_t i = 0; i < row.size(); ++i)
        entry[result.columns()[i]] = std::visit(CellJson{}, row[i]);
      rows.push_back(std::move(entry));
    }
    tables.push_back({{"name", result.name()}, {"rows", std::move(rows)}});
  }
  return tables;
}

void print_operations(std::ostream& out, const OperationsReport& operations) {
  if (operations.failed == 0) {
    out << "  ok    operations: " << operations.kinds << "; all agree with their references\n";
    return;
  }
  for (const std::string& failure : operations.failures) out << "  FAIL  " << failure << '\n';
  out << fmt::format("  FAIL  {} of {} operations ({}) do not agree with their references\n",
                     operations.failed, operations.checked, operations.kinds);
}

Json operations_json(const std::optional<OperationsReport>& operations) {
  if (!operations) return Json();
  return {{"checked", operations->checked},
          {"kinds", operations->kinds},
          {"failed", operations->failed},
          {"failures", operations->failures}};
}

}  // namespace

bool RunReport::verified() const {
  if (operations && operations->failed > 0) return false;
  return verdicts && std::all_of(verdicts->begin(), verdicts->end(),
                                 [](const VerdictReport& verdict) { return verdict.ok; });
}

// Progress of a run that did not come to its end; empty for one that did.
std::string stopped_text(const RunResult& result, Fs simulated) {
  const std::string at = fmt::format(" at {} of simulated time", format_ns(simulated));
  switch (result.status) {
    case RunStatus::until_reached:
      return fmt::format("stopped{}, as --until says", at);
    case RunStatus::wall_limit:
      return fmt::format("stopped{}, by --max-wall{}", at,
                         result.stuck.empty() ? "" : ": " + result.stuck);
    case RunStatus::interrupted:
      return fmt::format("interrupted{}{}", at, result.stuck.empty() ? "" : ": " + result.stuck);
    default:
      return "";
  }
}

bool ended_as_asked(const RunResult& result) {
  return result.status == RunStatus::completed || result.status == RunStatus::until_reached;
}

bool report_failed_accesses(const RunReport& report) {
  const std::string failed = failed_accesses(report.initiators);
  if (!failed.empty()) std::cerr << "kernbench: " << failed << '\n';
  return !failed.empty();
}

static void print_report(std::ostream& out, const RunReport& report,
                         const RunStatistics& statistics) {
  print_head(out, report, statistics);
  print_tables(out, report, statistics);
  print_results(out, report.results);
  out << '\n';
  if (report.data_races > 0) out << "data races         " << report.data_races << '\n';
  out << fmt::format(
      "host               {:.3f} s simulating, {:.3f} s elaborating, {} events, {:.0f} events/s\n",
      report.result.wall_s, report.elaboration_s, statistics.events,
      rate(static_cast<double>(statistics.events), report.result.wall_s));
  if (report.phase2) {
    out << fmt::format("phase 2            {:.3f} s on {} {}, {:.3f} s comparing with references\n",
                       report.phase2->evaluation_s, report.phase2->threads,
                       report.phase2->threads == 1 ? "thread" : "threads",
                       report.phase2->verification_s);
  }
  if (!report.verdicts) return;
  for (const VerdictReport& verdict : *report.verdicts)
    out << (verdict.ok ? "  ok    " : "  FAIL  ") << verdict.text << '\n';
  if (report.operations) print_operations(out, *report.operations);
  out << "verdict: " << (report.verified() ? "PASS" : "FAIL") << '\n';
}

static Json report_json(const RunReport& report, const RunStatistics& statistics) {
  Json json;
  json["bench"] = report.bench.empty() ? Json() : Json(report.bench);
  json["parameters"] = Json::object();
  for (const auto& [name, value] : report.parameters) json["parameters"][name] = value;
  json["topology"] = report.topology;
  const MemoryMapSpec& map = statistics.platform.graph().spec().cube.memory_map;
  json["address_model"] = name_of(map.address_model);
  json["hbm_mapping_mode"] = name_of(map.hbm_mapping_mode);
  json["device"] = report.device;
  json["seed"] = report.seed;
  json["data"] = report.data;
  json["status"] = name_of(report.result.status);
  json["simulated_ns"] = ns_json(report.simulated);
  json["activity"] = activity_json(statistics.activity);
  json["engines"] = Json::array();
  for (const EngineRow& row : engine_rows(statistics)) {
    Json entry;
    entry["engine"] = row.engine;
    entry["part"] = row.part;
    entry["pes"] = row.active;
    entry["busy_ns"] = ns_json(row.busy);
    entry["utilisation"] = ratio_json(row.utilisation);
    json["engines"].push_back(std::move(entry));
  }
  json["memories"] = Json::object();
  for (const KindTotal& kind : statistics.kinds) {
    if (!is_memory(kind.kind)) continue;
    for (const StatisticTotal& total : kind.totals) {
      if (total.quantity == Quantity::bytes) json["memories"][kind.kind][total.key] = total.value;
    }
  }
  if (!report.initiators.empty()) json["initiators"] = initiators_json(report.initiators);
  if (report.breakdown != nullptr) json["transfers"] = report.breakdown->json();
  json["links"] = Json::array();
  for (const LinkTotal& link : statistics.links) {
    Json entry;
    entry["kind"] = name_of(link.kind);
    entry["links"] = link.links;
    entry["used"] = link.used;
    entry["bytes"] = link.bytes;
    entry["busiest_utilisation"] = link.busiest;
    entry["busiest_link"] = link.busiest_link;
    json["links"].push_back(std::move(entry));
  }
  json["kernels"] = Json::array();
  for (const KernelReport& kernel : report.kernels) {
    Json entry;
    entry["kernel"] = kernel.kernel;
    entry["device"] = kernel.devices;
    if (!kernel.meta.empty()) entry["meta"] = kernel.meta;
    entry["pes"] = kernel.per_pe.size();
    entry["pe_exec_ns"] = ns_json(kernel.merged.pe_exec);
    entry["dma_ns"] = ns_json(kernel.merged.dma);
    entry["compute_ns"] = ns_json(kernel.merged.compute);
    entry["start_skew_ns"] = ns_json(kernel.merged.start_skew);
    entry["per_pe"] = Json::array();
    for (const auto& [where, metrics] : kernel.per_pe) {
      entry["per_pe"].push_back({{"pe", where.str()},
                                 {"pe_exec_ns", ns_json(metrics.pe_exec)},
                                 {"dma_ns", ns_json(metrics.dma)},
                                 {"compute_ns", ns_json(metrics.compute)}});
    }
    json["kernels"].push_back(std::move(entry));
  }
  json["results"] = results_json(report.results);
  json["data_races"] = report.data_races;
  json["verdicts"] = Json::array();
  for (const VerdictReport& verdict : report.verdicts.value_or(std::vector<VerdictReport>())) {
    json["verdicts"].push_back(
        {{"tensor", verdict.tensor}, {"ok", verdict.ok}, {"text", verdict.text}});
  }
  json["operations"] = operations_json(report.operations);
  json["verdict"] = report.verdicts ? Json(report.verified() ? "PASS" : "FAIL") : Json();
  json["host"] = {
      {"wall_s", report.result.wall_s},
      {"elaboration_s", report.elaboration_s},
      {"phase2_s", report.phase2 ? Json(report.phase2->evaluation_s) : Json()},
      {"phase2_threads", report.phase2 ? Json(report.phase2->threads) : Json()},
      {"verification_s", report.phase2 ? Json(report.phase2->verification_s) : Json()},
      {"delta_cycles", report.result.deltas},
      {"events", statistics.events},
      {"events_per_s", rate(static_cast<double>(statistics.events), report.result.wall_s)}};
  return json;
}

void show_report(const RunReport& report, const RunStatistics& statistics, bool json) {
  if (json) {
    std::cout << json_text(report_json(report, statistics), 2) << '\n';
  } else {
    print_report(std::cout, report, statistics);
  }
  std::cout << std::flush;
  if (report.result.status == RunStatus::interrupted) check_memory_limit();
}

}  // namespace kernbench
