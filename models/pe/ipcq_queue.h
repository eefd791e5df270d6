// One end of a queue pair in PE_IPCQ: the counters of both of its directions and the order of
// received messages (spec 8.1).
//
// Sending: head counts the messages sent, the tail cache those that the peer has consumed; at most
// n_slots lie between them, so that no slot is written before it has been consumed. Receiving: the
// head cache counts the messages that have come, tail those consumed in order. Messages are
// reserved in order; one may be consumed before an earlier one, and tail moves over both when the
// earlier one is. Not modelled: time.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "models/protocol/ipcq.h"

namespace kernbench {

class IpcqQueue {
 public:
  IpcqQueue(IpcqQueuePair pair, std::uint32_t n_slots, std::uint64_t slot_bytes)
      : pair_(std::move(pair)), n_slots_(n_slots), slot_bytes_(slot_bytes) {}

  const IpcqQueuePair& pair() const { return pair_; }

  // --- Sending
  std::uint64_t head() const { return head_; }
  std::uint64_t tail_cache() const { return tail_cache_; }
  std::uint64_t credits() const { return n_slots_ - (head_ - tail_cache_); }
  // Takes the next slot of the peer's ring and returns the message's number. Requires a credit.
  std::uint64_t send();
  std::uint64_t peer_slot(std::uint64_t seq) const {
    return pair_.peer_rx_base + seq % n_slots_ * slot_bytes_;
  }
  void credit(std::uint64_t consumer_seq);

  // --- Receiving
  struct Arrived {
    std::uint64_t nbytes = 0;
    Shape shape;
    DType dtype = DType::f16;
    PeId source;
  };
  std::uint64_t head_cache() const { return head_cache_; }
  std::uint64_t tail() const { return tail_; }
  bool owns(std::uint64_t address) const {
    return address >= pair_.rx_base && address - pair_.rx_base < n_slots_ * slot_bytes_;
  }
  std::uint64_t slot(std::uint64_t seq) const {
    return pair_.rx_base + seq % n_slots_ * slot_bytes_;
  }
  // Data and head of a message that has been written. ModelError: out of order, or over a message
  // that has not been consumed.
  void arrived(const IpcqMessage& message);
  bool has(std::uint64_t seq) const { return seq < head_cache_; }
  const Arrived& message(std::uint64_t seq) const { return messages_[seq - tail_]; }
  // The first message that is neither reserved nor consumed.
  std::uint64_t next_open() const;
  std::uint64_t reserve();
  void give_back(std::uint64_t seq);
  void give_back_all();
  void consume(std::uint64_t seq);

  // No message is on its way or waits, in either direction.
  bool idle() const { return head_ == tail_cache_ && tail_ == head_cache_ && claims_.empty(); }
  void reset();

  // "E <-> sip0.cube1.pe0 W: sent head 4, tail 0, credits 0 of 4; received head 0, tail 0"
  std::string str() const;

 private:
  enum class Claim : std::uint8_t { open, reserved, consumed };

  IpcqQueuePair pair_;
  std::uint64_t n_slots_, slot_bytes_;
  std::uint64_t head_ = 0, tail_cache_ = 0;
  std::uint64_t head_cache_ = 0, tail_ = 0;
  std::deque<Arrived> messages_;  // from tail_ on
  std::deque<Claim> claims_;      // from tail_ on, up to the last one that is not open
};

}  // namespace kernbench
