#include "sc_main/initiators_report.h"

#include <fmt/format.h>

#include "platform/report/json_text.h"
#include "platform/report/table.h"

namespace kernbench {

using Json = nlohmann::ordered_json;
using Align = Table::Align;

std::string initiators_text(const std::vector<ExternalAccesses>& initiators) {
  Table table({{"initiator"},
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
  return table.empty() ? "" : '\n' + table.text();
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

}  // namespace kernbench
