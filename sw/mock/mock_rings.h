// MockRings: the queue pairs of a MockRuntime: messages of a direction in order, at most n_slots in
// a ring (spec 8.1). Not modelled: time, memory location of rings.
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
  // End of a queue pair: its queued sends, and the ring in which it receives.
  struct End {
    struct Sending {
      IpcqSend message;
      CallSite site;  // call site of the send
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
    std::deque<Sending> sending;  // queued because the peer's ring is full
    std::deque<Slot> ring;        // starts with the first message that has not been consumed
    std::uint64_t tail = 0;       // number of that message
    std::uint64_t reserved = 0;   // messages reserved by receives, in order
    std::deque<Receiving> receiving;

    bool has_open() const { return reserved < tail + ring.size(); }
  };

  MockRings(std::uint32_t n_slots, std::uint64_t slot_bytes);

  void connect(const std::vector<QueuePairEnd>& ends);
  void clear();  // drops all messages
  const IpcqSetup& setup(PeId where) const;

  // UsageError for an unknown direction, with the existing ones.
  End& end(const char* call, PeId where, const std::string& direction);
  // Next end, after the one that served the last receive without a direction, whose next message
  // has arrived; null if there is none.
  End* next_with_message(PeId where);

  // In order; complete when the message is in the peer's ring. UsageError for a message larger than
  // the slot.
  std::shared_ptr<IpcqOperation> send(PeId where, IpcqSend message, CallSite site);
  // Complete, or failed, when its message has arrived. `request.direction` is not empty.
  std::shared_ptr<IpcqOperation> receive(PeId where, IpcqReceive request);
  bool drained(PeId where) const;  // no send waits for room

  std::uint64_t received() const { return received_; }
  // "E <-> sip0.cube0.pe3 W: 0 of 4 slots full here, 4 of 4 there; 1 to send": a line per
  // direction.
  std::vector<std::string> text(PeId where) const;
  // Ends whose rings hold messages.
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
  std::uint64_t next_id_ = std::uint64_t{1} << 62;  // operation ids; command ids count from 0
};

}  // namespace kernbench
