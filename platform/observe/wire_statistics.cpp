#include "platform/observe/wire_statistics.h"

#include "platform/observe/component_statistics.h"
#include "platform/observe/object_tree.h"

namespace kernbench {

std::vector<const Wire*> elaborated_wires() {
  const std::vector<Wire*> found = objects_of<Wire>();
  return {found.begin(), found.end()};
}

nlohmann::ordered_json wires_json(const std::vector<const Wire*>& wires, Fs elapsed) {
  auto list = nlohmann::ordered_json::array();
  for (const Wire* wire : wires) {
    const Wire::Statistics& statistics = wire->statistics();
    nlohmann::ordered_json entry;
    entry["name"] = wire->name();
    entry["bytes"] = statistics.bytes;
    entry["flits"] = statistics.flits;
    entry["control_messages"] = statistics.control_messages;
    entry["busy_ns"] = ns_number(statistics.busy_fs);
    entry["utilisation"] = elapsed == 0 ? 0.0 : static_cast<double>(statistics.busy_fs) / static_cast<double>(elapsed);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace kernbench
