// MessageBoard: matching of the messages between ranks. A receive matches the first unmatched
// message for its rank with its tag and, if it names one, its source.
//
// Both sides of a message begin once it has been matched. A send begins before its match if the
// ring between the two ranks has room for it: slots of unmatched messages are counted, and no
// message is queued behind one that may be received later than itself. Such a send completes
// without its receive, as sends of short messages do with NCCL. A message that is matched while
// others are in the ring uses the side ring, which is empty whenever a message begins. This class
// knows neither rings nor devices.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kernbench {

// One rank's part in a message.
struct MessageSide {
  bool is_send = false;
  int rank = 0;
  std::optional<int> peer;  // peer; none for a receive from any source that is not matched yet
  int tag = 0;
  std::string what;         // must be equal on both sides
  std::uint32_t slots = 1;  // ring slots that a send needs

  // Results.
  bool begun = false;
  bool by_side_ring = false;
  // Position, from 1, among the messages of its rank with this peer, or from any source.
  std::uint64_t number = 0;

  virtual ~MessageSide() = default;
  std::string text() const;  // "message 1, a message of f16, ... (rank 0)"
};
using MessageSidePtr = std::shared_ptr<MessageSide>;

class MessageBoard {
 public:
  // `begin`: launch the side; its peer is known. `refuse`: the side will not be launched; its rank
  // gets the error.
  using Refuse = std::function<void(MessageSide&, const std::exception_ptr&)>;
  MessageBoard(
      std::uint32_t ring_slots, std::function<void(MessageSide&)> begin,
      Refuse refuse = [](MessageSide&, const std::exception_ptr&) {})
      : ring_slots_(ring_slots), begin_(std::move(begin)), refuse_(std::move(refuse)) {}

  // Posts a side and begins each side that can begin: this one, its peer, or neither. UsageError:
  // the other side does not match, or its rank has ended.
  void post(const MessageSidePtr& side);
  // Side that `side` would be matched with; null: none yet.
  MessageSidePtr other_side_of(const MessageSide& side) const;
  // The rank posts no more messages: it `has` ended. UsageError if other ranks wait for it.
  void end(int rank, const std::string& has = "has ended");
  // "rank 1 has still to call message 1, ..."; "": every message between two known ranks has been
  // matched.
  std::string unmatched() const;
  void clear();

 private:
  using Direction = std::pair<int, int>;  // sender, receiver

  using Sides = std::list<MessageSidePtr>;  // in order of posting

  Sides::const_iterator find(const MessageSide& side) const;
  static bool match(const MessageSide& send, const MessageSide& receive);
  void begin_pair(MessageSide& send, MessageSide& receive);
  void begin_ahead(const Direction& direction);
  std::uint32_t slots_ahead(const Direction& direction) const;
  bool may_begin_ahead(const MessageSide& send) const;
  void check_ended(const MessageSide& side) const;

  std::uint32_t ring_slots_;
  std::function<void(MessageSide&)> begin_;
  Refuse refuse_;
  Sides sends_, receives_;  // unmatched
  std::map<std::pair<bool, Direction>, std::uint64_t> counts_;
  std::map<int, std::string> ended_;  // rank and its `has` text
};

}  // namespace kernbench
