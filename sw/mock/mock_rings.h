// MockRings: the queue pairs of a MockRuntime: messages in the order of a direction, at most
// n_slots of them in a ring (spec 8.1). Not modelled: time, where rings lie.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/base/call_site.h"
#include "models/data/byte_image.h"
#include "models/protocol/command_state.h"
#include "models/protocol/ipcq.h"
#include "sw/collectives/neighbour_graph.h"

namespace kernbench {

class MockRings {
 public:
  // One end of a queue pair: what it has still to send, and the ring in which it receives.
  struct End {
    struct Sending {
      IpcqSend message;
      CallSite site;  // of the send
      std::shared_ptr<IpcqOperation> operation;
    };
    struct Slot {
      IpcqSend message;
      CallSite site;
      bool consumed = false;
    };
    struct Receiving {
      IpcqReceive request;
      std::shared_ptr<IpcqOperation> operation;
    };

    PeId where;
    std::string direction;
    End* peer = nullptr;
    std::deque<Sending> sending;  // the peer's ring is full
    std::deque<Slot> ring;        // from the first message that has not been consumed
    std::uint64_t tail = 0;       // number of that message
    std::uint64_t reserved = 0;   // messages that receives have reserved, in their order
    std::deque<Receiving> receiving;

    bool has_open() const { return reserved < tail + ring.size(); }
  };

  MockRings(std::uint32_t n_slots, std::uint64_t slot_bytes);

  void connect(const std::vector<QueuePairEnd>& ends);
  void clear();  // drops all messages
  const IpcqSetup& setup(PeId where) const;

  // UsageError for a direction without a queue pair, with those that there are.
  End& end(const char* call, PeId where, const std::string& direction);
  // The next end behind the one that served the last receive without a direction whose next message
  // is there; null if there is none.
  End* next_with_message(PeId where);

  // In order; complete when the message is in the peer's ring. UsageError for one above the slot.
  std::shared_ptr<IpcqOperation> send(PeId where, IpcqSend message, CallSite site);
  // Complete, or failed, when its message has arrived. `request.direction` is not empty.
  std::shared_ptr<IpcqOperation> receive(PeId where, IpcqReceive request);
  bool drained(PeId where) const;  // none of its sends waits for room

  std::uint64_t received() const { return received_; }
  // "E <-> sip0.cube0.pe3 W: 0 of 4 slots full here, 4 of 4 there; 1 to send": a line per
  // direction.
  std::vector<std::string> text(PeId where) const;
  // Ends whose rings have messages.
  std::vector<const End*> with_messages() const;

 private:
  using Ends = std::map<std::string, End>;  // by direction

  void move(End& to);
  bool take(End& from, const End::Receiving& receiving);
  static std::string wrong_size(const End& from, const IpcqReceive& request,
                                const IpcqSend& message);

  IpcqSettings settings_;
  std::map<PeId, Ends> ends_;
  std::map<PeId, IpcqSetup> setups_;
  std::map<PeId, std::string> served_last_;
  std::uint64_t received_ = 0;
  std::uint64_t next_id_ = std::uint64_t{1} << 62;  // of operations; commands count from 0
};

}  // namespace kernbench
