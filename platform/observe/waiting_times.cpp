#include "platform/observe/waiting_times.h"

#include <algorithm>
#include <cctype>

#include "models/noc/link.h"
#include "models/protocol/fabric_node.h"
#include "platform/assembly/machine_root.h"
#include "platform/output/json_text.h"
#include "platform/topology/graph.h"

namespace kernbench {

nlohmann::ordered_json histogram_json(const Histogram& histogram) {
  nlohmann::ordered_json json;
  const bool any = histogram.count() > 0;
  json["count"] = histogram.count();
  json["total_ns"] = ns_json(histogram.sum());
  json["min_ns"] = ns_json(any ? histogram.lowest() : 0);
  json["mean_ns"] = histogram.mean() / fs_per_ns;
  json["p50_ns"] = ns_json(histogram.percentile(0.50));
  json["p90_ns"] = ns_json(histogram.percentile(0.90));
  json["p99_ns"] = ns_json(histogram.percentile(0.99));
  json["max_ns"] = ns_json(histogram.highest());
  json["buckets"] = nlohmann::ordered_json::array();
  for (const auto& [first, count] : histogram.buckets())
    json["buckets"].push_back({ns_json(first), count});
  return json;
}

namespace {

using Json = nlohmann::ordered_json;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Fs busy_of(const Component& memory, std::size_t channel) {
  const std::string name = "pc" + std::to_string(channel) + "_busy";
  for (const Statistic& statistic : memory.statistics()) {
    if (statistic.name == name) return statistic.at(Component::now());
  }
  return 0;
}

}  // namespace

WaitingTimes::WaitingTimes(Platform& platform)
    : platform_(platform), nodes_(platform.graph().nodes().size()),
      link_traversals_(platform.observation().link_traversals, *this),
      node_traversals_(platform.observation().node_traversals, *this),
      events_(platform.observation().trace_events, *this),
      bookings_(platform.observation().hbm_bookings, *this) {}

std::size_t WaitingTimes::HashKey::operator()(const TaskKey& key) const {
  return std::hash<const void*>()(key.pe) ^
         static_cast<std::size_t>((key.command * 0x9e3779b97f4a7c15ULL) ^
                                  (static_cast<std::uint64_t>(key.tile) * 0xc2b2ae3d27d4eb4fULL));
}

// --- Flits

void WaitingTimes::write(const LinkTraversal& traversal) {
  if (traversal.transaction.route().is_control()) return;
  links_[&traversal.link].add(traversal.start - Component::now());
}

void WaitingTimes::write(const NodeTraversal& traversal) {
  const Arrival& arrival = traversal.arrival;
  if (arrival.transaction->route().is_control()) return;
  NodeQueue& queue = nodes_[traversal.node.node()];
  queue.waits.add(traversal.start - arrival.time);
  while (!queue.starts.empty() && queue.starts.front() <= arrival.time) queue.starts.pop_front();
  if (traversal.start == arrival.time) return;
  queue.starts.push_back(traversal.start);
  queue.high_water = std::max<std::uint64_t>(queue.high_water, queue.starts.size());
}

// --- Stages

void WaitingTimes::write(const TraceEvent& event) {
  const TaskKey key{event.node->get_parent_object(), event.command_id, event.tile_id};
  switch (event.kind) {
    case TraceKind::sub_command_dispatched:
    case TraceKind::engine_complete:
      ready_[key] = event.time;
      return;
    case TraceKind::engine_start: {
      const auto ready = ready_.find(key);
      if (ready != ready_.end())
        stages_[event.node][lower(event.stage)].add(event.time - ready->second);
      return;
    }
    case TraceKind::tile_ready:
    case TraceKind::command_complete:
      ready_.erase(key);
      return;
    case TraceKind::command_submitted:
      return;
  }
}

// --- Bursts

void WaitingTimes::write(const HbmBooking& booking) {
  Partition& partition = partitions_[booking.node.node()];
  partition.burst_bytes = booking.burst_bytes;
  if (partition.channels.size() <= booking.channel) partition.channels.resize(booking.channel + 1);
  HbmChannel& channel = partition.channels[booking.channel];
  const Fs burst = booking.first_finish - booking.start;
  const std::uint64_t bursts = burst == 0 ? 1 : (booking.finish - booking.start) / burst;
  const bool is_read = booking.transaction != nullptr && booking.transaction->is_read();
  (is_read ? channel.bursts_read : channel.bursts_written) += bursts;
  channel.waits.add(booking.start - Component::now());
}

// --- JSON

Json WaitingTimes::json(const Component& component) const {
  Json json;
  if (component.node() != no_node && nodes_[component.node()].waits.count() > 0) {
    const NodeQueue& queue = nodes_[component.node()];
    json["flits"] = histogram_json(queue.waits);
    json["flits"]["queue_high_water"] = queue.high_water;
  }
  const auto stages = stages_.find(&component);
  if (stages == stages_.end()) return json;
  for (const auto& [stage, waits] : stages->second) json[stage] = histogram_json(waits);
  return json;
}

Json WaitingTimes::json(const Link& link) const {
  const auto waits = links_.find(&link);
  return waits == links_.end() ? Json() : histogram_json(waits->second);
}

Json WaitingTimes::hbm_json(Fs elapsed) const {
  Json list = Json::array();
  for (const auto& [node, partition] : partitions_) {
    const Component& memory = platform_.component(node);
    for (std::size_t i = 0; i < partition.channels.size(); ++i) {
      const HbmChannel& channel = partition.channels[i];
      const Fs busy = std::min(busy_of(memory, i), elapsed);
      Json entry;
      entry["name"] = name_in_machine(memory);
      entry["channel"] = i;
      entry["bursts_read"] = channel.bursts_read;
      entry["bursts_written"] = channel.bursts_written;
      entry["burst_bytes"] = partition.burst_bytes;
      entry["busy_ns"] = ns_json(busy);
      entry["idle_ns"] = ns_json(elapsed - busy);
      entry["utilisation"] =
          elapsed == 0 ? 0.0 : static_cast<double>(busy) / static_cast<double>(elapsed);
      entry["waiting"] = histogram_json(channel.waits);
      list.push_back(std::move(entry));
    }
  }
  return list;
}

}  // namespace kernbench
