#include "platform/observe/busy_shares.h"

#include "platform/output/json_text.h"

namespace kernbench {
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

}  // namespace kernbench
