#include "sw/distributed/message_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {
namespace {

constexpr int any = -1;

std::pair<int, int> direction_of(const MessageSide& side) {
  const int peer = side.peer.value_or(any);
  return side.is_send ? std::pair(side.rank, peer) : std::pair(peer, side.rank);
}

}  // namespace

std::string MessageSide::text() const {
  return fmt::format("message {}, {} (rank {})", number, what, rank);
}

bool MessageBoard::match(const MessageSide& send, const MessageSide& receive) {
  return send.peer == receive.rank && receive.peer.value_or(send.rank) == send.rank &&
         send.tag == receive.tag;
}

void MessageBoard::check_ended(const MessageSide& side) const {
  const auto ended = side.peer ? ended_.find(*side.peer) : ended_.end();
  if (ended != ended_.end())
    throw UsageError(fmt::format("rank {} calls {}, its message {}, but rank {} {}", side.rank,
                                 side.what, side.number, *side.peer, ended->second));
}

MessageBoard::Sides::const_iterator MessageBoard::find(const MessageSide& side) const {
  const Sides& others = side.is_send ? receives_ : sends_;
  return std::find_if(others.begin(), others.end(), [&](const MessageSidePtr& other) {
    return side.is_send ? match(side, *other) : match(*other, side);
  });
}

MessageSidePtr MessageBoard::other_side_of(const MessageSide& side) const {
  const auto found = find(side);
  return found == (side.is_send ? receives_ : sends_).end() ? nullptr : *found;
}

void MessageBoard::post(const MessageSidePtr& side) {
  side->number = ++counts_[{side->is_send, direction_of(*side)}];
  const auto found = find(*side);
  Sides& others = side->is_send ? receives_ : sends_;
  if (found == others.end()) {
    check_ended(*side);
    (side->is_send ? sends_ : receives_).push_back(side);
    if (side->is_send) begin_ahead(direction_of(*side));
    return;
  }
  const MessageSidePtr other = *found;
  others.erase(found);
  if (other->what != side->what) {
    const UsageError error(
        fmt::format("ranks call different things: message {} of rank {} is {}; of rank {} it is {}",
                    other->number, other->rank, other->what, side->rank, side->what));
    if (!other->begun) refuse_(*other, std::make_exception_ptr(error));
    throw error;
  }
  side->is_send ? begin_pair(*side, *other) : begin_pair(*other, *side);
}

void MessageBoard::begin_pair(MessageSide& send, MessageSide& receive) {
  receive.peer = send.rank;
  const Direction direction = direction_of(send);
  if (!send.begun) {
    send.by_side_ring = slots_ahead(direction) > 0;
    send.begun = true;
    begin_(send);
  }
  receive.by_side_ring = send.by_side_ring;
  receive.begun = true;
  begin_(receive);
  begin_ahead(direction);
}

std::uint32_t MessageBoard::slots_ahead(const Direction& direction) const {
  std::uint32_t slots = 0;
  for (const MessageSidePtr& send : sends_) {
    if (send->begun && direction_of(*send) == direction) slots += send->slots;
  }
  return slots;
}

// Whether the ring has room and every message in it is received before this one.
bool MessageBoard::may_begin_ahead(const MessageSide& send) const {
  const Direction direction = direction_of(send);
  const bool in_order = std::all_of(sends_.begin(), sends_.end(), [&](const auto& other) {
    return !other->begun || direction_of(*other) != direction || other->tag == send.tag;
  });
  return in_order && slots_ahead(direction) + send.slots <= ring_slots_;
}

void MessageBoard::begin_ahead(const Direction& direction) {
  for (const MessageSidePtr& send : sends_) {
    if (send->begun || direction_of(*send) != direction) continue;
    if (!may_begin_ahead(*send)) return;
    send->begun = true;
    begin_(*send);
  }
}

void MessageBoard::end(int rank, const std::string& has) {
  ended_[rank] = has;
  for (const Sides* sides : {&sends_, &receives_}) {
    for (const MessageSidePtr& side : *sides) {
      if (side->peer == rank && side->rank != rank)
        throw UsageError(
            fmt::format("rank {} {}, but others wait for it in {}", rank, has, side->text()));
    }
  }
}

std::string MessageBoard::unmatched() const {
  for (const Sides* sides : {&sends_, &receives_}) {
    for (const MessageSidePtr& side : *sides) {
      if (side->peer) return fmt::format("rank {} has still to call {}", *side->peer, side->text());
    }
  }
  return "";
}

void MessageBoard::clear() {
  sends_.clear();
  receives_.clear();
  counts_.clear();
  ended_.clear();
}

}  // namespace kernbench
