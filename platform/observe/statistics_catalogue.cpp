#include "platform/observe/statistics_catalogue.h"

#include <algorithm>
#include <map>

namespace kernbench {
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

// What observers add: the lists of the file and their numbers.
const std::vector<StatisticsSection>& lists() {
  static const std::vector<StatisticsSection> sections{
      {"busy",
       false,
       {{"servers", "", "", "servers that the busy time adds up"},
        {"busy_ns", "ns", "", "time in use up to the end of the run"},
        {"idle_ns", "ns", "", "servers * elapsed - busy"},
        {"utilisation", "share", "", "busy / (busy + idle)"}}},
      {"waiting",
       false,
       {{"flits", "ns", "", "histogram: arrival of a flit to the start of its service"},
        {"STAGE", "ns", "",
         "histogram: end of the stage before, or dispatch, to the start of the service"},
        {"queue_high_water", "", "", "most flits that waited, of a server in order of arrival"}}},
      {"links",
       false,
       {{"bytes", "B", "sum", "bytes that have left the near end"},
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
        {"busy_ns", "ns", "", "time that bursts took"},
        {"idle_ns", "ns", "", "elapsed - busy"},
        {"utilisation", "share", "", "busy / elapsed"},
        {"waiting", "ns", "", "histogram: booking of bursts to the start of the first"}}},
      {"transfers",
       false,
       {{"transfers", "", "", "memory transfers that have ended"},
        {"bytes", "B", "", "their payload"},
        {"latency", "ns", "",
         "histogram: grant of the channel, or issue by the host, to the answer or the commit"},
        {"parts", "ns", "", "the same latencies by what served or delayed them: their sum"}}},
      {"kernels",
       false,
       {{"pe_exec_ns", "ns", "", "target_start to the kernel's return, the longest of its PEs"},
        {"dma_ns", "ns", "", "time that the PE's own DMA held its channels"},
        {"compute_ns", "ns", "", "time that the accel_slot was held"},
        {"start_skew_ns", "ns", "", "how late a PE was reached"}}},
  };
  return sections;
}

}  // namespace

std::vector<StatisticsSection> statistics_catalogue(const std::vector<Component*>& components,
                                                    const KindOf& kind_of) {
  std::map<std::string, StatisticsSection> kinds;
  for (const Component* component : components) {
    StatisticsSection& kind = kinds[kind_of(*component)];
    for (const Statistic& statistic : component->statistics()) {
      const std::string key = key_of(statistic);
      const bool known = std::any_of(kind.statistics.begin(), kind.statistics.end(),
                                     [&key](const auto& each) { return each.key == key; });
      if (!known) kind.statistics.push_back(declaration_of(statistic));
    }
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
