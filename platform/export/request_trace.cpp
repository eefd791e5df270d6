#include "platform/export/request_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/protocol/arrival_queue.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/transaction.h"
#include "platform/assembly/machine_root.h"
#include "platform/output/json_text.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

std::string label_of(const Message* message) {
  if (const auto* request = dynamic_cast<const PeMessage*>(message))
    return label_of(request->type_name(), *request);
  if (dynamic_cast<const LaunchAbort*>(message) != nullptr) return "LaunchAbort";
  if (dynamic_cast<const LaunchFailed*>(message) != nullptr) return "LaunchFailed";
  return "";
}

void add_times(Json& json, Fs first, Fs last) {
  json["first_ns"] = ns_json(first);
  json["last_ns"] = ns_json(last);
  json["total_ns"] = ns_json(last - first);
}

}  // namespace

RequestTrace::RequestTrace(Platform& platform, std::ostream& out)
    : platform_(platform), out_(out), events_(platform.observation().trace_events, *this),
      link_traversals_(platform.observation().link_traversals, *this),
      node_traversals_(platform.observation().node_traversals, *this),
      ends_(platform.observation().transaction_ends, *this) {}

// --- Transfers

RequestTrace::Transfer& RequestTrace::transfer_of(const Transaction& transaction) {
  const RouteExtension& route = transaction.route();
  const auto [entry, is_new] = transfers_.try_emplace(route.key);
  Transfer& transfer = entry->second;
  if (!is_new) return transfer;
  const Path& path = route.request_path();
  transfer.kind = !transaction.accesses_memory() ? "control" : access_name(transaction);
  transfer.label = label_of(route.message.get());
  transfer.initiator = path.source();
  transfer.target = path.target();
  if (number_of_) transfer.id = number_of_(route.key, transfer.initiator);
  transfer.address = transaction.get_address();
  transfer.bytes = transaction.get_data_length();
  if (route.list != nullptr) transfer.runs = route.list->runs();
  transfer.nodes = path.hops().size();
  const auto target = static_cast<std::uint32_t>(transfer.nodes - 1);
  transfer.hops.reserve(2 * target + 1);
  for (std::uint32_t i = 0; i <= 2 * target; ++i)
    transfer.hops.push_back({path.hop(i <= target ? i : 2 * target - i).node});
  const auto& in_service = in_service_[transaction.is_write() ? 1 : 0];
  const auto work = in_service.find(&platform_.component(transfer.initiator));
  if (work != in_service.end() && transfer.kind != "control") transfer.work = work->second;
  return transfer;
}

RequestTrace::Hop& RequestTrace::hop_at(const Transaction& transaction, std::uint32_t position) {
  Transfer& transfer = transfer_of(transaction);
  const bool back = transaction.route().leg == Leg::response;
  return transfer.hops[back ? transfer.nodes - 1 + position : position];
}

void RequestTrace::write(const LinkTraversal& traversal) {
  const Transaction& transaction = traversal.transaction;
  const std::uint32_t position = traversal.run.position - 1;
  Hop& hop = hop_at(transaction, position);
  hop.departure = std::max(hop.departure, traversal.start);
  if (position > 0 || transaction.route().leg == Leg::response || hop.arrival != never_fs) return;
  // The initiator has no arrival.
  hop.arrival = transaction.route().key.issued;
  const Fs overhead = transaction.route().path->hop(0).overhead_fs;
  hop.start = std::max(hop.arrival, Component::now() - std::min(overhead, Component::now()));
}

void RequestTrace::write(const NodeTraversal& traversal) {
  const Arrival& arrival = traversal.arrival;
  Hop& hop = hop_at(*arrival.transaction, arrival.position);
  hop.arrival = std::min(hop.arrival, arrival.time);
  hop.start = std::min(hop.start, traversal.start);
  hop.departure = std::max(hop.departure, Component::now());
}

void RequestTrace::write(const TransactionEnd& end) {
  const Transaction& transaction = end.transaction;
  const auto found = transfers_.find(transaction.route().key);
  if (found == transfers_.end()) return;  // never left its initiator
  write_line(found->first, found->second, true, transaction.route().posted ? Component::now() : 0);
  transfers_.erase(found);
}

// `end`: of a transfer whose target finished later than its last event.
void RequestTrace::write_line(const TieKey& key, const Transfer& transfer, bool complete, Fs end) {
  const auto name_of = [this](NodeId node) { return platform_.graph().node(node).name; };
  Json json;
  json["kind"] = transfer.kind;
  if (transfer.id) json["id"] = *transfer.id;
  if (!transfer.label.empty()) json["message"] = transfer.label;
  json["initiator"] = name_of(transfer.initiator);
  json["target"] = name_of(transfer.target);
  if (transfer.kind != "control") {
    json["address"] = transfer.address;
    json["bytes"] = transfer.bytes;
    if (transfer.runs > 1) json["runs"] = transfer.runs;
  }
  if (const Work& work = transfer.work; !work.pe.empty()) {
    json["pe"] = work.pe;
    json["command"] = work.command;
    if (work.tile >= 0) json["tile"] = work.tile;
  }
  if (!complete) json["complete"] = false;
  json["hops"] = Json::array();
  Fs first = never_fs, last = end;
  for (std::size_t i = 0; i < transfer.hops.size(); ++i) {
    const Hop& hop = transfer.hops[i];
    if (hop.arrival == never_fs) continue;  // not reached
    const Fs departure = i + 1 == transfer.nodes ? std::max(hop.departure, end) : hop.departure;
    json["hops"].push_back({{"node", name_of(hop.node)},
                            {"arrival_ns", ns_json(hop.arrival)},
                            {"start_ns", ns_json(hop.start)},
                            {"departure_ns", ns_json(departure)}});
    first = std::min(first, hop.arrival);
    last = std::max(last, departure);
  }
  add_times(json, first, last);
  line({Component::now(), false, key, {}}, json_text(json));
}

// --- Commands of PEs

void RequestTrace::write(const TraceEvent& event) {
  const CommandKey key{scope_in_machine(*event.node), event.command_id};
  CommandEvents& command = commands_[key];
  command.push_back(event);
  const std::string_view stage = event.stage;
  if (stage == "DMA_READ" || stage == "DMA_WRITE") {
    Work& work = in_service_[stage == "DMA_WRITE" ? 1 : 0][event.node];
    if (event.kind == TraceKind::engine_start) work = {key.first, event.command_id, event.tile_id};
    if (event.kind == TraceKind::engine_complete) work = {};
  }
  if (event.kind != TraceKind::command_complete) return;
  write_line(key, command, true);
  commands_.erase(key);
}

void RequestTrace::write_line(const CommandKey& key, const CommandEvents& command, bool complete) {
  Json json;
  json["kind"] = "command";
  json["pe"] = key.first;
  json["command"] = key.second;
  if (!complete) json["complete"] = false;
  json["events"] = Json::array();
  for (const TraceEvent& event : command) {
    Json entry;
    entry["event"] = kernbench::name_of(event.kind);
    entry["time_ns"] = ns_json(event.time);
    entry["node"] = name_in_machine(*event.node);
    if (event.stage[0] != '\0') entry["stage"] = event.stage;
    if (event.tile_id >= 0) entry["tile"] = event.tile_id;
    entry["bytes"] = event.bytes;
    json["events"].push_back(std::move(entry));
  }
  add_times(json, command.front().time, command.back().time);
  line({Component::now(), true, {}, key}, json_text(json));
}

// --- Lines

void RequestTrace::line(LineKey key, std::string text) {
  flush(Component::now());
  lines_.emplace(std::move(key), std::move(text));
}

// Flushes to the file itself: a fault of foreign code ends the process without closing it.
void RequestTrace::flush(Fs before) {
  bool written = false;
  for (; !lines_.empty() && std::get<0>(lines_.begin()->first) < before; written = true) {
    out_ << lines_.begin()->second << '\n';
    lines_.erase(lines_.begin());
  }
  if (written) out_.flush();
}

void RequestTrace::close() {
  for (const auto& [key, transfer] : transfers_) write_line(key, transfer, false, 0);
  transfers_.clear();
  for (const auto& [key, command] : commands_) write_line(key, command, false);
  commands_.clear();
  flush(never_fs);
}

}  // namespace kernbench
