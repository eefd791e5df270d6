#include "sw/mock/mock_rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"

namespace kernbench {

MockRings::MockRings(std::uint32_t n_slots, std::uint64_t slot_bytes) {
  settings_.n_slots = n_slots;
  settings_.slot_size = slot_bytes;
}

void MockRings::connect(const std::vector<QueuePairEnd>& ends) {
  ends_.clear();
  setups_.clear();
  served_last_.clear();
  for (const QueuePairEnd& each : ends) {
    End& end = ends_[each.pe][each.direction];
    end.where = each.pe;
    end.direction = each.direction;
    end.peer = &ends_[each.peer][each.peer_direction];
    IpcqSetup& setup = setups_[each.pe];
    setup.settings = settings_;
    setup.queue_pairs.push_back({each.direction, each.peer, each.peer_direction, 0, 0, 0});
  }
}

void MockRings::clear() {
  for (auto& [where, ends] : ends_) {
    for (auto& [direction, end] : ends) {
      end.sending.clear();
      end.ring.clear();
      end.receiving.clear();
      end.tail = end.reserved = 0;
    }
  }
}

const IpcqSetup& MockRings::setup(PeId where) const {
  static const IpcqSetup none;
  const auto found = setups_.find(where);
  return found == setups_.end() ? none : found->second;
}

MockRings::End& MockRings::end(const char* call, PeId where, const std::string& direction) {
  const auto found = ends_.find(where);
  if (found == ends_.end()) {
    throw UsageError(fmt::format("{} on {}: no queue pair leads there (MockRuntime::connect)", call,
                                 where.str()));
  }
  const auto end = found->second.find(direction);
  if (end != found->second.end()) return end->second;
  throw UsageError(fmt::format("{} on {}: no queue pair in direction '{}'; there are {}", call,
                               where.str(), direction, setup(where).directions()));
}

MockRings::End* MockRings::next_with_message(PeId where) {
  const auto found = ends_.find(where);
  if (found == ends_.end()) end("tl.recv", where, "");  // throws
  Ends& ends = found->second;
  auto at = ends.upper_bound(served_last_[where]);
  for (std::size_t i = 0; i < ends.size(); ++i, ++at) {
    if (at == ends.end()) at = ends.begin();
    if (!at->second.has_open()) continue;
    served_last_[where] = at->first;
    return &at->second;
  }
  return nullptr;
}

// --- messages

std::shared_ptr<IpcqOperation> MockRings::send(PeId where, IpcqSend message, CallSite site) {
  End& from = end("tl.send", where, message.direction);
  if (message.nbytes() > settings_.slot_size) {
    throw UsageError(
        fmt::format("tl.send on {} in direction '{}': {}{} has {} bytes, a slot has {}",
                    where.str(), message.direction, name_of(message.dtype), message.shape.str(),
                    message.nbytes(), settings_.slot_size));
  }
  auto operation = std::make_shared<IpcqOperation>(
      IpcqOperation{std::make_shared<CommandState>(next_id_++), message.direction, {}});
  from.sending.push_back({std::move(message), site, operation});
  move(*from.peer);
  return operation;
}

std::shared_ptr<IpcqOperation> MockRings::receive(PeId where, IpcqReceive request) {
  End& to = end("tl.recv", where, request.direction);
  if (!request.place) request.place = to.reserved++;
  auto operation = std::make_shared<IpcqOperation>(
      IpcqOperation{std::make_shared<CommandState>(next_id_++), request.direction, {}});
  to.receiving.push_back({std::move(request), operation});
  move(to);
  return operation;
}

// Messages enter the ring while it has room, and leave it to the waiting receives.
void MockRings::move(End& to) {
  for (bool moved = true; moved;) {
    moved = false;
    std::deque<End::Sending>& sending = to.peer->sending;
    for (; !sending.empty() && to.ring.size() < settings_.n_slots; moved = true) {
      End::Sending& first = sending.front();
      first.operation->state->complete();
      to.ring.push_back({std::move(first.message), first.site});
      sending.pop_front();
    }
    for (auto each = to.receiving.begin(); each != to.receiving.end();) {
      const bool taken = take(to, *each);
      each = taken ? to.receiving.erase(each) : std::next(each);
      moved = moved || taken;
    }
  }
}

bool MockRings::take(End& from, const End::Receiving& receiving) {
  const std::uint64_t place = *receiving.request.place;
  if (place >= from.tail + from.ring.size()) return false;
  End::Slot& slot = from.ring[static_cast<std::size_t>(place - from.tail)];
  IpcqOperation& operation = *receiving.operation;
  if (slot.message.nbytes() != receiving.request.nbytes())
    operation.state->fail(wrong_size(from, receiving.request, slot.message));
  operation.received = {from.direction, slot.message.bytes};
  operation.state->complete();
  slot.consumed = true;
  ++received_;
  for (; !from.ring.empty() && from.ring.front().consumed; ++from.tail) from.ring.pop_front();
  return true;
}

std::string MockRings::wrong_size(const End& from, const IpcqReceive& request,
                                  const IpcqSend& message) {
  return fmt::format(
      "tl.recv on {} in direction '{}': {}{} has {} bytes, the message of {} is {}{} of {} bytes",
      from.where.str(), from.direction, name_of(request.dtype), request.shape.str(),
      request.nbytes(), from.peer->where.str(), name_of(message.dtype), message.shape.str(),
      message.nbytes());
}

bool MockRings::drained(PeId where) const {
  const auto found = ends_.find(where);
  return found == ends_.end() ||
         std::all_of(found->second.begin(), found->second.end(),
                     [](const auto& each) { return each.second.sending.empty(); });
}

// --- reports

std::vector<std::string> MockRings::text(PeId where) const {
  std::vector<std::string> lines;
  const auto found = ends_.find(where);
  if (found == ends_.end()) return lines;
  for (const auto& [direction, end] : found->second) {
    lines.push_back(
        fmt::format("{} <-> {} {}: {} of {} slots full here, {} of {} there; {} to send", direction,
                    end.peer->where.str(), end.peer->direction, end.ring.size(), settings_.n_slots,
                    end.peer->ring.size(), settings_.n_slots, end.sending.size()));
  }
  return lines;
}

std::vector<const MockRings::End*> MockRings::with_messages() const {
  std::vector<const End*> found;
  for (const auto& [where, ends] : ends_) {
    for (const auto& [direction, end] : ends) {
      if (!end.ring.empty()) found.push_back(&end);
    }
  }
  return found;
}

}  // namespace kernbench
