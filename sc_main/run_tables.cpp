#include "sc_main/run_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "platform/report/json_text.h"
#include "platform/report/table.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;
using Align = Table::Align;

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
      const Fs time = statistics.activity.all.length() * total.servers;
      if (time > 0) row.utilisation = static_cast<double>(total.value) / static_cast<double>(time);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

bool is_memory(const std::string& kind) {
  return kind == "hbm_ctrl" || kind == "sram" || kind == "pe_tcm" || kind == "tlm_target";
}

std::string block_of(const Table& table) { return table.empty() ? "" : '\n' + table.text(); }

}  // namespace

std::string ratio_text(const std::optional<double>& ratio) { return ratio ? percent(*ratio) : "-"; }

Json ratio_json(const std::optional<double>& ratio) { return ratio ? Json(*ratio) : Json(); }

std::string engines_text(const RunStatistics& statistics) {
  Table engines({{"engine"},
                 {"part"},
                 {"PEs", Align::right},
                 {"busy", Align::right},
                 {"of PE window", Align::right}});
  for (const EngineRow& row : engine_rows(statistics)) {
    engines.add({row.engine, row.part, fmt::format("{}", row.active),
                 readable_time(to_ns(row.busy)), ratio_text(row.utilisation)});
  }
  return block_of(engines);
}

std::string memories_text(const RunStatistics& statistics) {
  Table memories({{"memory"},
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
  return block_of(memories);
}

std::string links_text(const RunStatistics& statistics) {
  Table links({{"links"},
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
  return block_of(links);
}

Json engines_json(const RunStatistics& statistics) {
  Json list = Json::array();
  for (const EngineRow& row : engine_rows(statistics)) {
    Json entry;
    entry["engine"] = row.engine;
    entry["part"] = row.part;
    entry["pes"] = row.active;
    entry["busy_ns"] = ns_json(row.busy);
    entry["utilisation"] = ratio_json(row.utilisation);
    list.push_back(std::move(entry));
  }
  return list;
}

Json memories_json(const RunStatistics& statistics) {
  Json json = Json::object();
  for (const KindTotal& kind : statistics.kinds) {
    if (!is_memory(kind.kind)) continue;
    for (const StatisticTotal& total : kind.totals) {
      if (total.quantity == Quantity::bytes) json[kind.kind][total.key] = total.value;
    }
  }
  return json;
}

Json link_kinds_json(const RunStatistics& statistics) {
  Json list = Json::array();
  for (const LinkTotal& link : statistics.links) {
    Json entry;
    entry["kind"] = name_of(link.kind);
    entry["links"] = link.links;
    entry["used"] = link.used;
    entry["bytes"] = link.bytes;
    entry["busiest_utilisation"] = link.busiest;
    entry["busiest_link"] = link.busiest_link;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace kernbench
