#include "platform/observe/component_statistics.h"

#include <algorithm>
#include <string_view>

#include "models/noc/link.h"
#include "platform/assembly/machine_root.h"
#include "platform/output/json_text.h"

namespace kernbench {

namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

void add_servers(KindTotal& total, const Component& component) {
  for (const Statistic& statistic : component.statistics()) {
    if (!statistic.is_busy_time()) continue;
    for (StatisticTotal& each : total.totals) {
      if (each.name == statistic.name) each.servers += statistic.server.places;
    }
  }
}

nlohmann::ordered_json number(Quantity quantity, std::uint64_t value) {
  return quantity == Quantity::time_fs ? ns_json(value) : nlohmann::ordered_json(value);
}

void add_ratios(std::vector<RatioTotal>& totals, const Component& component) {
  for (const Ratio& ratio : component.ratios()) {
    auto at = std::find_if(totals.begin(), totals.end(),
                           [&](const RatioTotal& each) { return each.name == ratio.name; });
    if (at == totals.end()) at = totals.insert(at, {ratio.name, {}});
    const Ratio::Parts parts = ratio.at(Component::now());
    at->parts.part += parts.part;
    at->parts.whole += parts.whole;
  }
}

}  // namespace

nlohmann::ordered_json share_json(const Ratio::Parts& parts) {
  return parts.whole > 0 ? nlohmann::ordered_json(parts.part / parts.whole)
                         : nlohmann::ordered_json();
}

std::string key_of(const Statistic& statistic) {
  std::string key = statistic.name;
  switch (statistic.quantity) {
    case Quantity::time_fs:
      if (ends_with(key, "_fs")) key.resize(key.size() - 3);
      if (!ends_with(key, "_ns")) key += "_ns";
      break;
    case Quantity::bytes:
      if (key.find("bytes") == std::string::npos) key += "_bytes";
      break;
    case Quantity::count:
      break;
  }
  return key;
}

nlohmann::ordered_json statistics_json(const std::vector<Component*>& components,
                                       const KindOf& kind_of) {
  auto list = nlohmann::ordered_json::array();
  for (const Component* component : components) {
    if (component->statistics().empty()) continue;
    auto stats = nlohmann::ordered_json::object();
    for (const Statistic& statistic : component->statistics())
      stats[key_of(statistic)] = number(statistic.quantity, statistic.at(Component::now()));
    for (const Ratio& ratio : component->ratios())
      stats[ratio.name] = share_json(ratio.at(Component::now()));
    nlohmann::ordered_json entry;
    entry["name"] = name_in_machine(*component);
    entry["kind"] = kind_of(*component);
    entry["stats"] = std::move(stats);
    list.push_back(std::move(entry));
  }
  return list;
}

RatiosByKind ratios_by_kind(const std::vector<Component*>& components, const KindOf& kind_of) {
  RatiosByKind kinds;
  for (const Component* component : components) {
    if (!component->ratios().empty()) add_ratios(kinds[kind_of(*component)], *component);
  }
  return kinds;
}

const StatisticTotal* KindTotal::find(const std::string& name) const {
  for (const StatisticTotal& total : totals) {
    if (total.name == name) return &total;
  }
  return nullptr;
}

std::vector<KindTotal> totals_by_kind(const std::vector<Component*>& components,
                                      const KindOf& kind_of) {
  std::map<std::string, KindTotal> kinds;
  for (const Component* component : components) {
    const std::string kind = kind_of(*component);
    KindTotal& total = kinds[kind];
    total.kind = kind;
    ++total.components;
    bool active = false;
    for (const Statistic& statistic : component->statistics()) {
      const std::uint64_t value = statistic.at(Component::now());
      auto at = std::find_if(total.totals.begin(), total.totals.end(),
                             [&](const StatisticTotal& t) { return t.name == statistic.name; });
      if (at == total.totals.end())
        at = total.totals.insert(at, {statistic.name, key_of(statistic), statistic.quantity, 0, 0});
      at->value = statistic.merge == Merge::sum ? at->value + value : std::max(at->value, value);
      active = active || value > 0;
    }
    add_ratios(total.ratios, *component);
    if (!active) continue;
    ++total.active;
    add_servers(total, *component);
  }
  std::vector<KindTotal> list;
  for (auto& [kind, total] : kinds) list.push_back(std::move(total));
  return list;
}

nlohmann::ordered_json totals_json(const std::vector<KindTotal>& totals) {
  auto kinds = nlohmann::ordered_json::object();
  for (const KindTotal& kind : totals) {
    if (kind.totals.empty()) continue;
    nlohmann::ordered_json entry;
    entry["components"] = kind.components;
    entry["active"] = kind.active;
    for (const StatisticTotal& total : kind.totals)
      entry[total.key] = number(total.quantity, total.value);
    for (const RatioTotal& ratio : kind.ratios) entry[ratio.name] = share_json(ratio.parts);
    kinds[kind.kind] = std::move(entry);
  }
  return kinds;
}

nlohmann::ordered_json busy_json(const Component& component, Fs elapsed) {
  nlohmann::ordered_json json;
  for (const Statistic& statistic : component.statistics()) {
    if (!statistic.is_busy_time()) continue;
    const std::uint64_t servers = statistic.server.places;
    const Fs busy = statistic.at(Component::now()), time = servers * elapsed;
    if (busy > time) continue;
    json[statistic.name] = {
        {"servers", servers},
        {"busy_ns", ns_json(busy)},
        {"idle_ns", ns_json(time - busy)},
        {"utilisation", time == 0 ? 0.0 : static_cast<double>(busy) / static_cast<double>(time)}};
  }
  return json;
}

namespace {

double utilisation(Fs busy, Fs elapsed) {
  return elapsed == 0 ? 0.0 : static_cast<double>(busy) / static_cast<double>(elapsed);
}

}  // namespace

nlohmann::ordered_json links_json(const Graph& graph, const LinkInstances& links, Fs elapsed) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [index, link] : links) {
    const Edge& edge = graph.edges()[index];
    const Link::Statistics statistics = link->statistics();
    nlohmann::ordered_json entry;
    entry["name"] = name_in_machine(*link);
    entry["src"] = graph.node(edge.src).name;
    entry["dst"] = graph.node(edge.dst).name;
    entry["kind"] = name_of(edge.kind);
    entry["bytes"] = statistics.bytes;
    entry["flits"] = statistics.flits;
    entry["control_messages"] = statistics.control_messages;
    entry["busy_ns"] = ns_json(statistics.busy_fs);
    entry["idle_ns"] = ns_json(elapsed - std::min(statistics.busy_fs, elapsed));
    entry["utilisation"] = utilisation(statistics.busy_fs, elapsed);
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<LinkTotal> totals_by_link(const Graph& graph, const LinkInstances& links, Fs elapsed) {
  std::map<EdgeKind, LinkTotal> kinds;
  for (const auto& [index, link] : links) {
    const EdgeKind kind = graph.edges()[index].kind;
    LinkTotal& total = kinds[kind];
    total.kind = kind;
    ++total.links;
    const Link::Statistics statistics = link->statistics();
    total.bytes += statistics.bytes;
    if (statistics.bytes > 0) ++total.used;
    if (utilisation(statistics.busy_fs, elapsed) > total.busiest) {
      total.busiest = utilisation(statistics.busy_fs, elapsed);
      total.busiest_link = name_in_machine(*link);
    }
  }
  std::vector<LinkTotal> list;
  for (auto& [kind, total] : kinds) list.push_back(std::move(total));
  return list;
}

namespace {

const char* unit_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::time_fs:
      return "ns";
    case Quantity::bytes:
      return "B";
    case Quantity::count:
      break;
  }
  return "";
}

StatisticDeclaration declaration_of(const Statistic& statistic) {
  return {key_of(statistic), unit_of(statistic.quantity),
          statistic.merge == Merge::sum ? "sum" : "largest", statistic.description};
}

// Lists and numbers that observers add to the file.
const std::vector<StatisticsSection>& lists() {
  static const std::vector<StatisticsSection> sections{
      {"busy",
       false,
       {{"servers", "", "", "number of servers whose busy times are summed"},
        {"busy_ns", "ns", "", "time in use up to the end of the run"},
        {"idle_ns", "ns", "", "servers * elapsed - busy"},
        {"utilisation", "share", "", "busy / (busy + idle)"}}},
      {"waiting",
       false,
       {{"flits", "ns", "", "histogram: arrival of a flit to the start of its service"},
        {"STAGE", "ns", "",
         "histogram: end of the previous stage, or dispatch, to the start of service"},
        {"queue_high_water", "", "",
         "maximum number of queued flits, for a server in order of arrival"}}},
      {"links",
       false,
       {{"bytes", "B", "sum", "bytes sent by the source node"},
        {"flits", "", "sum", "flits handed over"},
        {"control_messages", "", "sum", "control messages handed over"},
        {"busy_ns", "ns", "sum", "time for which flits occupied the link"},
        {"idle_ns", "ns", "", "elapsed - busy"},
        {"utilisation", "share", "largest", "busy / elapsed"},
        {"waiting", "ns", "", "histogram: hand-over of a flit to the start of its transfer"}}},
      {"hbm_channels",
       false,
       {{"bursts_read", "", "", "bursts booked by reads"},
        {"bursts_written", "", "", "bursts booked by writes"},
        {"burst_bytes", "B", "", "size of a burst"},
        {"busy_ns", "ns", "", "busy time of bursts"},
        {"idle_ns", "ns", "", "elapsed - busy"},
        {"utilisation", "share", "", "busy / elapsed"},
        {"waiting", "ns", "", "histogram: booking of bursts to the start of the first"}}},
      {"transfers",
       false,
       {{"transfers", "", "", "memory transfers completed"},
        {"bytes", "B", "", "payload of these transfers"},
        {"latency", "ns", "",
         "histogram: grant of the channel, or issue by the host, to the response or the commit"},
        {"parts", "ns", "", "sums of the latencies by part"}}},
      {"kernels",
       false,
       {{"pe_exec_ns", "ns", "",
         "time from target_start to the kernel's return, maximum over its PEs"},
        {"dma_ns", "ns", "", "time that the PE's own DMA held its channels"},
        {"compute_ns", "ns", "", "time that the accel_slot was held"},
        {"start_skew_ns", "ns", "",
         "delay after target_start with which the launch reached the last PE"}}},
  };
  return sections;
}

}  // namespace

std::vector<StatisticsSection> statistics_catalogue(const std::vector<Component*>& components,
                                                    const KindOf& kind_of) {
  std::map<std::string, StatisticsSection> kinds;
  for (const Component* component : components) {
    StatisticsSection& kind = kinds[kind_of(*component)];
    const auto add = [&kind](StatisticDeclaration declaration) {
      const bool known = std::any_of(kind.statistics.begin(), kind.statistics.end(),
                                     [&](const auto& each) { return each.key == declaration.key; });
      if (!known) kind.statistics.push_back(std::move(declaration));
    };
    for (const Statistic& statistic : component->statistics()) add(declaration_of(statistic));
    for (const Ratio& ratio : component->ratios())
      add({ratio.name, "share", "of sums", ratio.description});
  }
  std::vector<StatisticsSection> catalogue;
  for (auto& [name, kind] : kinds) {
    if (kind.statistics.empty()) continue;
    catalogue.push_back({name, true, std::move(kind.statistics)});
  }
  catalogue.insert(catalogue.end(), lists().begin(), lists().end());
  return catalogue;
}

nlohmann::ordered_json catalogue_json(const std::vector<StatisticsSection>& catalogue) {
  auto json = nlohmann::ordered_json::object();
  for (const StatisticsSection& section : catalogue) {
    json[section.name] = nlohmann::ordered_json::array();
    for (const StatisticDeclaration& statistic : section.statistics) {
      json[section.name].push_back({{"key", statistic.key},
                                    {"unit", statistic.unit},
                                    {"over_several", statistic.over_several},
                                    {"description", statistic.description}});
    }
  }
  return json;
}

}  // namespace kernbench
