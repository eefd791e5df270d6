// Queues of a PE_IPCQ (spec 8.1): its queue pairs, and the sends and receives that kernels have
// issued on them. Not modelled: time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component.h"
#include "models/pe/pe_identity.h"
#include "models/protocol/ipcq_services.h"

namespace kernbench {

// State of a queue pair in one PE: the counters of both of its directions and the order of received
// messages.
//
// Sending: head counts the messages sent, the tail cache those that the peer has consumed; at most
// n_slots lie between them, so that no slot is written before it has been consumed. Receiving: the
// head cache counts the messages that have arrived, tail those consumed in order. Messages are
// reserved in order; one may be consumed before an earlier one, and tail moves over both when the
// earlier one is.
class QueuePairState {
 public:
  QueuePairState(IpcqQueuePair pair, std::uint32_t n_slots, std::uint64_t slot_bytes)
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

  // No message is in flight or queued, in either direction.
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

// Installed queue pairs of a PE, and their updates by messages and credits.
class IpcqQueues final : private ServiceProvider<MessageArrival>,
                         private ServiceProvider<CreditDelivery> {
 public:
  struct Signals {
    TraceSignal &credits, &sent, &freed, &head, &tail, &peer;
  };
  struct Queue {
    Queue(const IpcqQueuePair& pair, const IpcqSettings& settings)
        : state(pair, pair.n_slots != 0 ? pair.n_slots : settings.n_slots, settings.slot_size) {}
    QueuePairState state;
    Fs credit_delay = 0;
    std::uint32_t receiver = 0;  // stream of the kernel that has reserved last
    Signals* signals = nullptr;  // null until observed
  };

  // `ipcq` is the component of sockets and signals, `capacity` the number of queue pairs that it
  // can hold. changed() is called when a message or a credit has arrived.
  IpcqQueues(Component& ipcq, MachineServices& machine, std::size_t capacity,
             std::function<void()> changed)
      : ipcq_(ipcq), machine_(machine), capacity_(capacity), changed_(std::move(changed)),
        where_(machine, ipcq.node(), PeEngine::pe_ipcq) {}

  // Signals of the queues, now and of those that are installed later.
  void declare_signals();
  // Signals of a queue pair, in the order of Signals.
  std::vector<SignalDeclaration> signals_of(const std::string& pair) const;

  // Carries out the message, or returns whether it would be refused; `mine`: this PE's entry in it,
  // `serving`: an operation is in progress.
  Completion install(const IpcqInstall& message, const IpcqQueuePairs& mine, bool serving);
  // The next place in the order of a queue's messages, for a kernel of this stream.
  std::uint64_t reserve(std::size_t queue, std::uint32_t stream);
  // Returns unused places of a kernel that has ended.
  void give_back(std::uint32_t stream);
  // Makes the queues unusable until the next installation; `why`: a launch that has failed.
  void reset(const std::string& why);

  const PeId& where() const { return where_(); }
  const IpcqSetup& setup() const { return setup_; }
  std::uint64_t installation() const { return installation_; }
  bool empty() const { return queues_.empty(); }
  std::size_t size() const { return queues_.size(); }
  Queue& operator[](std::size_t index) { return queues_[index]; }
  const Queue& operator[](std::size_t index) const { return queues_[index]; }

  // Index of the queue of a direction, for `call` of the kernel. Throws UsageError if there is
  // none, or QueuesResetError.
  std::size_t index_of(const char* call, const std::string& direction) const;
  void check_usable(const char* call) const;
  // Next queue after the one served last whose next message has arrived, for a receive without a
  // direction; size() if there is none. It becomes the one served last.
  std::size_t take_next_with_message();

  // Updates the signals of a queue.
  static void show(const Queue& queue) {
    if (queue.signals != nullptr) update_signals(queue);
  }
  // For deadlock reports: a line for each queue.
  std::string str() const;

  const std::uint64_t& credits_received() const { return credits_received_; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(MessageArrival& arrival, tlm::tlm_phase& phase) override;
  tlm::tlm_sync_enum nb_transport_fw(CreditDelivery& delivery, tlm::tlm_phase& phase) override;
  bool accepts(const IpcqMessage& message) const;
  void written(const IpcqMessage& message);
  void take(const IpcqCredit& credit);
  bool idle() const;
  std::size_t index_of(const IpcqQueuePair& pair) const {  // element of setup_.queue_pairs
    return static_cast<std::size_t>(&pair - setup_.queue_pairs.data());
  }
  std::size_t occupied() const;
  void add(const IpcqQueuePair& pair);
  void remove(const IpcqQueuePair& pair);
  void clear();
  void add_signals(std::size_t index);
  static void clear_signals(const Signals& pair);
  static void update_signals(const Queue& queue);

  Component& ipcq_;
  MachineServices& machine_;
  std::size_t capacity_;
  std::function<void()> changed_;
  PeIdentity where_;
  std::deque<Signals> signals_;  // signals of queue pair 0, 1, ...: as many as ever existed
  bool signals_declared_ = false;
  IpcqSetup setup_;
  std::uint64_t installation_ = 0;
  bool was_reset_ = false;  // a launch has failed
  std::string why_reset_;
  std::vector<Queue> queues_;    // in the order of setup_.queue_pairs
  std::size_t served_last_ = 0;  // last queue served for a receive without a direction
  std::uint64_t credits_received_ = 0;
  ServiceTarget<MessageArrival> arrivals_{ipcq_, *this};
  ServiceTarget<CreditDelivery> deliveries_{ipcq_, *this};
};

// A send or a receive.
struct IpcqJob {
  enum class Phase : std::uint8_t { looking, reading, copying, crediting, done };

  std::uint32_t tag = 0;
  std::uint32_t stream = 0;
  IpcqRequest* operation = nullptr;
  bool is_send = false;
  IpcqSend send;
  IpcqReceive receive;
  bool begun = false;  // at the head
  Phase phase = Phase::looking;
  std::size_t pair = 0;  // receive without a direction: known once its message has arrived
  std::uint64_t seq = 0;
  Fs started = 0, look_at = 0;
  Fs taken = 0;                             // a receive has found its message
  std::optional<std::size_t> pending_wait;  // while it is blocked
  IpcqReceived received;
  std::shared_ptr<const DataOp> data;

  bool from_any() const { return !is_send && receive.direction.empty(); }
};

// Outstanding sends and receives of the kernels. A queue pair has a send queue and a receive queue
// for each stream of launches, in the order of the calls; the head of a queue is served,
// concurrently with those of the others. A receive without a direction is in all receive queues of
// its stream.
class IpcqWorkQueues {
 public:
  using Iterator = std::list<IpcqJob>::iterator;
  using Begin = std::function<void(IpcqJob&)>;

  // `begin` is called for each job once it is at the head of its queues.
  explicit IpcqWorkQueues(Begin begin) : begin_(std::move(begin)) {}

  void add(IpcqJob job);
  // Removes a job; the next ones in its queues begin. Returns the following job in call order.
  Iterator remove(Iterator ended);
  // Removes the job, and no other job begins.
  Iterator drop(Iterator job) { return jobs_.erase(job); }
  IpcqJob* find(std::uint32_t tag);  // null: already removed

  // In the order of the calls.
  Iterator begin() { return jobs_.begin(); }
  Iterator end() { return jobs_.end(); }
  std::list<IpcqJob>::const_iterator begin() const { return jobs_.begin(); }
  std::list<IpcqJob>::const_iterator end() const { return jobs_.end(); }
  bool empty() const { return jobs_.empty(); }
  const IpcqJob& oldest() const { return jobs_.front(); }

 private:
  static bool share_a_queue(const IpcqJob& a, const IpcqJob& b);
  bool at_head(const IpcqJob& job) const;
  void start(IpcqJob& job);

  Begin begin_;
  std::list<IpcqJob> jobs_;
  std::uint32_t next_tag_ = 1;
};

}  // namespace kernbench
