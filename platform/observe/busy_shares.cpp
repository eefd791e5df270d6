#include "platform/observe/busy_shares.h"

#include <array>

#include "platform/report/json_text.h"

namespace kernbench {
namespace {

// Busy times of several servers together, and the attribute that says how many.
struct Shared {
  const char* statistic;
  const char* attribute;
};
constexpr std::array<Shared, 4> by_count{{{"dma_read_busy", "rd_engines"},
                                          {"read_channel_held", "rd_engines"},
                                          {"dma_write_busy", "wr_engines"},
                                          {"write_channel_held", "wr_engines"}}};
constexpr Shared by_slot{"accel_slot_held", "shared_accel_slot"};

}  // namespace

std::uint64_t servers_of(const Component& component, const Statistic& busy) {
  const Attributes& attributes = component.attributes();
  for (const Shared& row : by_count) {
    if (busy.name == row.statistic && attributes.has(row.attribute))
      return static_cast<std::uint64_t>(attributes.integer(row.attribute));
  }
  const bool two_slots = busy.name == by_slot.statistic && attributes.has(by_slot.attribute) &&
                         !attributes.flag(by_slot.attribute);
  return two_slots ? 2 : 1;
}

nlohmann::ordered_json busy_json(const Component& component, Fs elapsed) {
  nlohmann::ordered_json json;
  for (const Statistic& statistic : component.statistics()) {
    if (!statistic.is_busy_time()) continue;
    const std::uint64_t servers = servers_of(component, statistic);
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
