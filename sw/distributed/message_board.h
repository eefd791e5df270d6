// MessageBoard: matching of the messages between ranks. A receive takes the first message sent to
// its rank that nobody has taken, with its tag and from its source, if it names one.
//
// Both sides of a message begin once it has been matched. A send begins before, where the ring
// between the two ranks holds it: the slots that untaken messages need are counted, and no message
// stands there behind one that may be taken later than itself. So it ends without its receive, as
// sends of short messages do with NCCL. A message that is matched while others lie in the ring goes
// through the side ring, which is empty whenever one begins. Rings and device are not known here.
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
  std::optional<int> peer;  // of a receive: none until it has been matched, if any source will do
  int tag = 0;
  std::string what;         // has to be the same on both sides
  std::uint32_t slots = 1;  // of the ring, that a send needs

  // Results.
  bool begun = false;
  bool by_side_ring = false;
  std::uint64_t number = 0;  // among those of its rank with this peer, or from any source; from 1

  virtual ~MessageSide() = default;
  std::string text() const;  // "message 1, a message of f16, ... (rank 0)"
};
using MessageSidePtr = std::shared_ptr<MessageSide>;

class MessageBoard {
 public:
  // `begin`: the side is to be launched, its peer is known. `refuse`: it will not be, its rank gets
  // the error.
  using Refuse = std::function<void(MessageSide&, const std::exception_ptr&)>;
  MessageBoard(
      std::uint32_t ring_slots, std::function<void(MessageSide&)> begin,
      Refuse refuse = [](MessageSide&, const std::exception_ptr&) {})
      : ring_slots_(ring_slots), begin_(std::move(begin)), refuse_(std::move(refuse)) {}

  // Begins what can begin now: this side, its peer, or none. UsageError: the other side is another
  // message, or its rank has ended.
  void post(const MessageSidePtr& side);
  // What it would be matched with; null: nothing yet.
  MessageSidePtr other_side_of(const MessageSide& side) const;
  // The rank posts nothing any more: it `has` ended. UsageError if others wait for it.
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
  Sides sends_, receives_;  // not matched
  std::map<std::pair<bool, Direction>, std::uint64_t> counts_;
  std::map<int, std::string> ended_;  // with what each `has` done
};

}  // namespace kernbench
