#include "sc_main/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <ostream>

#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "sc_main/memory_limit.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

std::string joined_parameters(const RunReport& report) {
  std::string text;
  for (const auto& [name, value] : report.parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "none" : text;
}

std::string ratio_text(const std::optional<double>& ratio) { return ratio ? percent(*ratio) : "-"; }

double rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

std::string counted(int number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// Text for the address mode of segments.
std::string addresses_text(const MemoryMapSpec& map) {
  std::string text(name_of(map.address_model));
  if (map.address_model == AddressModel::la)
    return fmt::format("{}, {}", text, name_of(map.hbm_mapping_mode));
  if (map.hbm_mapping_mode == HbmMapping::one_to_one)
    text += "  (hbm_mapping_mode one_to_one has an effect with la only)";
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
  line("data", report.computing.empty() ? report.data : report.data + ", for " + report.computing);
  line("simulated time", readable_time(to_ns(report.simulated)));
  if (!bench) return;
  line("PE window", text_of(statistics.activity.all));
  line("composite window", text_of(statistics.activity.composite));
  line("MAC utilisation", ratio_text(statistics.activity.mac_utilisation));
  line("useful efficiency", ratio_text(statistics.activity.useful_efficiency));
}

std::string data_memory_text(const RunReport::DataMemory& memory) {
  return fmt::format(
      "data memory        at most {} of {}, {} values; {} slices computed and {} waits while "
      "simulating, {:.3f} s\n",
      size_text(memory.totals.peak_bytes), size_text(memory.limit_bytes), memory.totals.peak_values,
      memory.pauses.slices, memory.pauses.waits, memory.pauses.seconds);
}

Json data_memory_json(const RunReport::DataMemory& memory) {
  return {{"limit_bytes", memory.limit_bytes},        {"peak_bytes", memory.totals.peak_bytes},
          {"peak_values", memory.totals.peak_values}, {"dropped_operations", memory.totals.dropped},
          {"slices", memory.pauses.slices},           {"waits", memory.pauses.waits},
          {"paused_s", memory.pauses.seconds}};
}

}  // namespace

bool RunReport::verified() const {
  if (!ordered() || !failed_assertions.empty()) return false;
  if (operations && operations->failed > 0) return false;
  return verdicts && !verdicts->empty() &&
         std::all_of(verdicts->begin(), verdicts->end(),
                     [](const VerdictReport& verdict) { return verdict.ok; });
}

// Progress of a run that did not complete; empty for one that did.
std::string stopped_text(const RunResult& result, Fs simulated) {
  const std::string at = fmt::format(" at {} of simulated time", format_ns(simulated));
  switch (result.status) {
    case RunStatus::until_reached:
      return fmt::format("stopped{} by --until", at);
    case RunStatus::wall_limit:
      return fmt::format("stopped{} by --max-wall{}", at,
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

bool RunReport::ordered() const {
  const auto is_message = [](const Leak& each) { return each.kind == Leak::Kind::message; };
  return !races || (races->pairs == 0 && std::none_of(leaks.begin(), leaks.end(), is_message));
}

void report_order(const RunReport& report) {
  for (const Leak& leak : report.leaks) {
    const bool error = report.races && leak.kind == Leak::Kind::message;
    std::cerr << "kernbench: " << (error ? "" : "warning: ") << leak.text() << '\n';
  }
  if (!report.races) return;
  for (const std::string& race : report.races->texts) std::cerr << "kernbench: " << race << '\n';
}

bool report_failed_accesses(const RunReport& report) {
  if (report.failed_accesses.empty()) return false;
  std::cerr << "kernbench: " << report.failed_accesses << '\n';
  return true;
}

static void print_report(std::ostream& out, const RunReport& report,
                         const RunStatistics& statistics, const Reports& reports) {
  print_head(out, report, statistics);
  out << reports.text();
  out << results_text(report.results) << '\n';
  if (report.races)
    out << fmt::format("unordered accesses {} {}\n", report.races->pairs,
                       report.races->pairs == 1 ? "pair" : "pairs");
  if (report.data_races > 0) out << "data races         " << report.data_races << '\n';
  out << fmt::format(
      "host               {:.3f} s simulating, {:.3f} s elaborating, {} events, {:.0f} events/s\n",
      report.result.wall_s, report.elaboration_s, statistics.events,
      rate(static_cast<double>(statistics.events), report.result.wall_s));
  if (report.data_memory && report.data_memory->is_reported)
    out << data_memory_text(*report.data_memory);
  if (report.phase2) {
    out << fmt::format("phase 2            {:.3f} s on {} {}, {:.3f} s comparing with references\n",
                       report.phase2->evaluation_s, report.phase2->threads,
                       report.phase2->threads == 1 ? "thread" : "threads",
                       report.phase2->verification_s);
  }
  if (!report.verdicts) return;
  out << verdicts_text(*report.verdicts);
  if (report.operations) out << operations_text(*report.operations);
  out << "verdict: " << (report.verified() ? "PASS" : "FAIL") << '\n';
}

Json report_json(const RunReport& report, const RunStatistics& statistics, const Reports& reports) {
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
  if (!report.computing.empty()) json["data_for"] = report.computing;
  json["status"] = name_of(report.result.status);
  if (!report.result.error.empty()) json["error"] = report.result.error;
  json["simulated_ns"] = ns_json(report.simulated);
  json["activity"] = activity_json(statistics.activity);
  reports.add_to(json);
  json["results"] = results_json(report.results);
  json["data_races"] = report.data_races;
  if (report.races)
    json["unordered_accesses"] = {{"pairs", report.races->pairs}, {"races", report.races->texts}};
  for (const Leak& each : report.leaks) {
    const bool message = each.kind == Leak::Kind::message;
    json["left_behind"].push_back({{"kernel", each.kernel},
                                   {"request", each.request},
                                   {"where", each.where},
                                   {"kind", message ? "message" : "command"},
                                   {"what", each.what},
                                   {"count", each.count}});
  }
  for (const FailedAssertion& each : report.failed_assertions)
    json["failed_assertions"].push_back({{"kernel", each.kernel},
                                         {"pe", each.pe},
                                         {"time_ns", ns_json(each.time)},
                                         {"line", each.line.empty() ? Json() : Json(each.line)},
                                         {"count", each.elements.count},
                                         {"text", each.elements.text}});
  json["verdicts"] = verdicts_json(report.verdicts.value_or(std::vector<VerdictReport>()));
  json["operations"] = operations_json(report.operations);
  json["verdict"] = report.verdicts ? Json(report.verified() ? "PASS" : "FAIL") : Json();
  json["host"] = {
      {"wall_s", report.result.wall_s},
      {"elaboration_s", report.elaboration_s},
      {"phase2_s", report.phase2 ? Json(report.phase2->evaluation_s) : Json()},
      {"phase2_threads", report.phase2 ? Json(report.phase2->threads) : Json()},
      {"verification_s", report.phase2 ? Json(report.phase2->verification_s) : Json()},
      {"data_memory", report.data_memory ? data_memory_json(*report.data_memory) : Json()},
      {"delta_cycles", report.result.deltas},
      {"events", statistics.events},
      {"events_per_s", rate(static_cast<double>(statistics.events), report.result.wall_s)}};
  return json;
}

void show_report(const RunReport& report, const RunStatistics& statistics, const Reports& reports,
                 bool json) {
  if (json) {
    std::cout << json_text(report_json(report, statistics, reports), 2) << '\n';
  } else {
    print_report(std::cout, report, statistics, reports);
  }
  std::cout << std::flush;
  if (report.result.status == RunStatus::interrupted) check_memory_limit(report.simulated);
}

}  // namespace kernbench
