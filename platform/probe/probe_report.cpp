#include "platform/probe/probe_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/topology/machine_message.h"
#include "platform/traffic/traffic_rows.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;
constexpr auto right = Table::Align::right;

double share(Fs part, const ProbePoint& point) {
  return point.actual == 0 ? 0 : static_cast<double>(part) / static_cast<double>(point.actual);
}

// Remainder of the actual time after overhead, drain and link: a burst, flits on the links that are
// not the bottleneck, storing.
std::int64_t rest(const ProbeOutcome& outcome, const ProbePoint& point) {
  return static_cast<std::int64_t>(point.actual - outcome.overhead - point.drain - outcome.link);
}

std::string ns3(double ns) { return fmt::format("{:.3f}", ns); }

std::string fixed_signed_ns(std::int64_t fs) {
  const auto bits = static_cast<std::uint64_t>(fs);
  return fs < 0 ? "-" + fixed_ns(-bits) : fixed_ns(bits);
}

double signed_ns(std::int64_t fs) { return static_cast<double>(fs) / 1e6; }

std::string transfer(const Graph& graph, const ProbeCase& probe) {
  return fmt::format("{} {} {}", graph.node(probe.initiator).name,
                     probe.write ? "writes to" : "reads from", graph.node(probe.target).name);
}

// --- Text

std::string summary_text(const std::vector<ProbeOutcome>& outcomes) {
  Table table({{"case"},
               {"actual ns", right},
               {"overhead ns", right},
               {"drain ns", right},
               {"link ns", right},
               {"rest ns", right},
               {"overhead", right},
               {"drain", right},
               {"link", right},
               {"GB/s", right},
               {"bottleneck GB/s", right},
               {"utilisation", right},
               {"formula ns", right},
               {"beyond ns", right}});
  for (const ProbeOutcome& outcome : outcomes) {
    if (outcome.points.empty()) continue;
    const ProbePoint& point = outcome.at(probe_bytes);
    table.add({outcome.probe.name, ns3(to_ns(point.actual)), ns3(to_ns(outcome.overhead)),
               ns3(to_ns(point.drain)), ns3(to_ns(outcome.link)),
               ns3(signed_ns(rest(outcome, point))), percent(share(outcome.overhead, point)),
               percent(share(point.drain, point)), percent(share(outcome.link, point)),
               ns3(point.effective_gbs()),
               outcome.bottleneck ? outcome.bottleneck->bw_gbs.str() : "unlimited",
               outcome.bottleneck ? percent(outcome.utilisation(point)) : "-",
               ns3(to_ns(point.bound.total())), ns3(signed_ns(point.beyond_formula()))});
  }
  std::string text = table.empty() ? ""
                                   : fmt::format("One transfer of {} alone on a fresh machine:\n",
                                                 readable_bytes(probe_bytes)) +
                                         table.text("  ");
  text +=
      "  actual: simulated, from the grant to the end (a posted write's commit). overhead, link: "
      "of every node and link on the way "
      "there and back.\n"
      "  drain: bytes / bottleneck. rest: a burst, flits on the other links, messages stored whole "
      "on the way. formula: lower "
      "bound (spec 2.8).\n";
  for (const ProbeOutcome& outcome : outcomes) {
    if (outcome.points.empty())
      text +=
          fmt::format("  {}: not available: {}\n", outcome.probe.name, outcome.probe.unavailable);
  }
  return text;
}

std::string sweep_text(const std::vector<ProbeOutcome>& outcomes) {
  std::vector<Table::Column> columns{{"case"}};
  for (const std::uint64_t bytes : sweep_bytes)
    columns.push_back({bytes < 1024 * 1024 ? fmt::format("{}K", bytes / 1024)
                                           : fmt::format("{}M", bytes / 1024 / 1024),
                       right});
  Table table(columns);
  for (const ProbeOutcome& outcome : outcomes) {
    if (outcome.points.empty()) continue;
    std::vector<std::string> cells{outcome.probe.name};
    for (const std::uint64_t bytes : sweep_bytes) {
      const ProbePoint& point = outcome.at(bytes);
      cells.push_back(fmt::format("{:.1f} ({})", point.effective_gbs(),
                                  outcome.bottleneck ? percent(outcome.utilisation(point)) : "-"));
    }
    table.add(row_of(std::move(cells)));
  }
  return table.empty()
             ? ""
             : "\nSweep: effective GB/s (utilisation of the bottleneck):\n" + table.text("  ");
}

std::string beyond_text(const std::vector<ProbeOutcome>& outcomes) {
  const bool banks = std::any_of(outcomes.begin(), outcomes.end(),
                                 [](const ProbeOutcome& outcome) { return outcome.has_banks; });
  std::vector<Table::Column> columns{{"case"},
                                     {"bytes", right},
                                     {"beyond ns", right},
                                     {"bursts ns", right},
                                     {"short flits ns", right}};
  if (banks) columns.push_back({"banks ns", right});
  columns.push_back({"unexplained ns", right});
  Table table(columns);
  bool measured = false;
  for (const ProbeOutcome& outcome : outcomes) {
    measured = measured || !outcome.points.empty();
    for (const ProbePoint& point : outcome.points) {
      if (point.beyond_formula() == 0) continue;
      std::vector<std::string> cells{outcome.probe.name, fmt::format("{}", point.bytes),
                                     ns3(signed_ns(point.beyond_formula())),
                                     ns3(to_ns(point.bursts)), ns3(to_ns(point.flits))};
      if (banks) cells.push_back(ns3(signed_ns(point.banks)));
      cells.push_back(ns3(signed_ns(point.unexplained())));
      table.add(row_of(std::move(cells)));
    }
  }
  if (table.empty() && measured) {
    return "\nBeyond the formula: nothing. No burst waits for its pseudo-channel and no flit for a "
           "longer one: exactly the formula's "
           "times.\n";
  }
  if (table.empty()) return "";
  return fmt::format(
      "\nBeyond the formula, which has one burst and equal flits:\n{}"
      "  bursts: those of the last flits wait for their pseudo-channel. short flits: let longer "
      "ones catch up. {}unexplained: by {}; an implementation has been replaced.\n",
      table.text("  "),
      banks ? "banks: activates, precharges, refreshes, command buses and queues of "
              "builtin.hbm_banked. "
            : "",
      banks ? "none of these" : "neither");
}

// --- Routes

struct ShownLeg {
  const char* name;
  const Path* path;
  Leg leg;
  LegTimes times;
  Fs last;  // arrival of the header or the last flit
};

std::vector<ShownLeg> legs_of(const Graph& graph, const ProbeOutcome& outcome) {
  const Path& path = *outcome.path;
  const MemoryMessage message = machine_message(graph, path, outcome.probe.write, 0, probe_bytes);
  const FlitCut flits(message);
  const auto shown = [](Leg of, const Path& way, const LegBound& bound, Fs start, bool data) {
    ShownLeg leg{data ? "data" : "command",
                 &way,
                 of,
                 {data ? "first flit at ns" : "header at ns",
                  data ? "first_flit_at_ns" : "header_at_ns", bound.first},
                 start + bound.last};
    for (Fs& t : leg.times.at) t += start;
    return leg;
  };
  const Fs start = message.initiator_overhead;
  if (message.write)
    return {shown(Leg::request, path, data_leg(path, flits, message.request_nodes), start, true)};
  const LegBound command = control_leg(path);
  const Fs answer =
      start + command.last + message.memory_overhead + message.burst_lead + message.burst_time;
  return {shown(Leg::request, path, command, start, false),
          shown(Leg::response, path.reverse(),
                data_leg(path.reverse(), flits, message.response_nodes), answer, true)};
}

std::string routes_text(const Graph& graph, const std::vector<ProbeOutcome>& outcomes) {
  std::string text;
  for (const ProbeOutcome& outcome : outcomes) {
    if (outcome.points.empty()) continue;
    text += fmt::format("\n{}: {} {}\n", outcome.probe.name, transfer(graph, outcome.probe),
                        readable_bytes(probe_bytes));
    for (const ShownLeg& leg : legs_of(graph, outcome)) {
      text += fmt::format("  {}\n", leg.name) + leg_text(graph, *leg.path, leg.leg, {leg.times});
      if (leg.times.json_key == "first_flit_at_ns")
        text += fmt::format("       last flit at {} ns by the formula\n", fixed_ns(leg.last));
    }
    const ProbePoint& point = outcome.at(probe_bytes);
    text += fmt::format("  end {} ns simulated, {} ns by the formula\n", fixed_ns(point.actual),
                        fixed_ns(point.bound.total()));
  }
  return text;
}

// --- JSON

Json point_json(const ProbeOutcome& outcome, const ProbePoint& point) {
  return {{"bytes", point.bytes},
          {"actual_ns", ns_json(point.actual)},
          {"drain_ns", ns_json(point.drain)},
          {"rest_ns", signed_ns_json(rest(outcome, point))},
          {"overhead_share", share(outcome.overhead, point)},
          {"drain_share", share(point.drain, point)},
          {"link_share", share(outcome.link, point)},
          {"effective_gbs", point.effective_gbs()},
          {"utilisation", outcome.bottleneck ? Json(outcome.utilisation(point)) : Json()},
          {"formula_ns", ns_json(point.bound.total())},
          {"formula",
           {{"initiator_ns", ns_json(point.bound.initiator)},
            {"control_leg_ns", ns_json(point.bound.control)},
            {"data_leg_ns", ns_json(point.bound.data)},
            {"memory_burst_ns", ns_json(point.bound.burst)}}},
          {"beyond_formula_ns", signed_ns_json(point.beyond_formula())},
          {"bursts_ns", ns_json(point.bursts)},
          {"short_flits_ns", ns_json(point.flits)},
          {"banks_ns", signed_ns_json(point.banks)},
          {"unexplained_ns", signed_ns_json(point.unexplained())}};
}

Json case_json(const Graph& graph, const ProbeOutcome& outcome) {
  const ProbeCase& probe = outcome.probe;
  Json json;
  json["name"] = probe.name;
  json["available"] = !outcome.points.empty();
  if (outcome.points.empty()) {
    json["reason"] = probe.unavailable;
    return json;
  }
  json["op"] = probe.write ? "write" : "read";
  json["initiator"] = graph.node(probe.initiator).name;
  json["target"] = graph.node(probe.target).name;
  json["overhead_ns"] = ns_json(outcome.overhead);
  json["link_ns"] = ns_json(outcome.link);
  json["bottleneck_gbs"] =
      gbs_json(outcome.bottleneck ? std::optional(outcome.bottleneck->bw_gbs) : std::nullopt);
  json["points"] = Json::array();
  for (const ProbePoint& point : outcome.points)
    json["points"].push_back(point_json(outcome, point));
  json["route"] = Json::array();
  for (const ShownLeg& leg : legs_of(graph, outcome))
    json["route"].push_back({{"leg", leg.name},
                             {"last_at_ns", ns_json(leg.last)},
                             {"hops", leg_json(graph, *leg.path, leg.leg, {leg.times})}});
  return json;
}

}  // namespace

std::string probe_text(const Graph& graph, const std::vector<ProbeOutcome>& outcomes,
                       const std::vector<ProbeCheck>& checks) {
  return summary_text(outcomes) + sweep_text(outcomes) + beyond_text(outcomes) + "\n" +
         checks_text(checks) + routes_text(graph, outcomes);
}

Json probe_json(const Graph& graph, const std::vector<ProbeOutcome>& outcomes,
                const std::vector<ProbeCheck>& checks) {
  Json json;
  json["summary_bytes"] = probe_bytes;
  json["sweep_bytes"] = sweep_bytes;
  json["cases"] = Json::array();
  for (const ProbeOutcome& outcome : outcomes) json["cases"].push_back(case_json(graph, outcome));
  json["invariants"] = Json::array();
  for (const ProbeCheck& check : checks)
    json["invariants"].push_back(
        {{"rule", check.rule}, {"verdict", name_of(check.verdict)}, {"detail", check.detail}});
  return json;
}

std::string probe_csv(const Graph& graph, const std::vector<ProbeOutcome>& outcomes) {
  std::string text =
      "case,op,initiator,target,bytes,actual_ns,overhead_ns,drain_ns,link_ns,overhead_share,drain_"
      "share,link_share,effective_gbs,"
      "bottleneck_gbs,utilisation,"
      "formula_ns,beyond_formula_ns,bursts_ns,short_flits_ns,banks_ns,unexplained_ns,not_"
      "available\n";
  for (const ProbeOutcome& outcome : outcomes) {
    const ProbeCase& probe = outcome.probe;
    if (outcome.points.empty())
      text += fmt::format("{},,,,,,,,,,,,,,,,,,,,,\"{}\"\n", probe.name, probe.unavailable);
    for (const ProbePoint& point : outcome.points) {
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{},{},{},{},{},{},{},{},\n",
          probe.name, probe.write ? "write" : "read", graph.node(probe.initiator).name,
          graph.node(probe.target).name, point.bytes, fixed_ns(point.actual),
          fixed_ns(outcome.overhead), fixed_ns(point.drain), fixed_ns(outcome.link),
          share(outcome.overhead, point), share(point.drain, point), share(outcome.link, point),
          point.effective_gbs(), outcome.bottleneck ? outcome.bottleneck->bw_gbs.str() : "",
          outcome.bottleneck ? fmt::format("{:.6f}", outcome.utilisation(point)) : "",
          fixed_ns(point.bound.total()), fixed_signed_ns(point.beyond_formula()),
          fixed_ns(point.bursts), fixed_ns(point.flits), fixed_signed_ns(point.banks),
          fixed_signed_ns(point.unexplained()));
    }
  }
  return text;
}

}  // namespace kernbench
