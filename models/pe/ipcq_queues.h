// The queue pairs of a PE_IPCQ (spec 8.1): their installation, and their updates by messages and
// credits. Not modelled: time.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "models/pe/ipcq_queue.h"
#include "models/pe/pe_identity.h"
#include "models/protocol/ipcq_services.h"

namespace kernbench {

class IpcqQueues final : private ServiceProvider<MessageArrival>,
                         private ServiceProvider<CreditDelivery> {
 public:
  struct Signals {
    TraceSignal &credits, &sent, &freed, &head, &tail, &peer;
  };
  struct Queue {
    Queue(const IpcqQueuePair& pair, const IpcqSettings& settings)
        : state(pair, pair.n_slots != 0 ? pair.n_slots : settings.n_slots, settings.slot_size) {}
    IpcqQueue state;
    Fs credit_delay = 0;
    std::uint32_t receiver = 0;  // stream of the kernel that has reserved last
    Signals* signals = nullptr;  // null until they are asked for
  };

  // `engine` is called at the end of a timestep in which a message or a credit came.
  IpcqQueues(Component& ipcq, MachineServices& machine, EndOfTimestep::Listener& engine)
      : ipcq_(ipcq), machine_(machine), engine_(engine),
        where_(machine, ipcq.node(), PeEngine::pe_ipcq) {}

  // Queue pairs that the engine can hold.
  void set_capacity(std::size_t queue_pairs) { capacity_ = queue_pairs; }
  // Signals of the queues, now and of those that are installed later.
  void declare_signals();
  // Those of a queue pair, in the order of Signals.
  std::vector<SignalDeclaration> signals_of(const std::string& pair) const;

  // Carries out the message, or answers whether it would be refused; `mine`: this PE's entry in it,
  // `serving`: an operation is under way.
  Completion install(const IpcqInstall& message, const IpcqQueuePairs& mine, bool serving);
  // The next place in the order of a queue's messages, for a kernel of this stream.
  std::uint64_t reserve(std::size_t queue, std::uint32_t stream);
  // Its kernel has ended: places that have not been used.
  void give_back(std::uint32_t stream);
  // The queues are unusable until the next installation: `why`, a launch that has failed.
  void reset(const std::string& why);

  const PeId& where() const { return where_(); }
  const IpcqSetup& setup() const { return setup_; }
  std::uint64_t installation() const { return installation_; }
  bool empty() const { return queues_.empty(); }
  std::size_t size() const { return queues_.size(); }
  Queue& operator[](std::size_t index) { return queues_[index]; }
  const Queue& operator[](std::size_t index) const { return queues_[index]; }

  // The queue of a direction, for `call` of the kernel. UsageError if there is none,
  // QueuesResetError.
  std::size_t index_of(const char* call, const std::string& direction) const;
  void check_usable(const char* call) const;
  // The next queue behind the one served last whose next message is there, for a receive without a
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
  void look_at_end_of_timestep() { machine_.end_of_timestep().ask(engine_, ipcq_.node()); }

  Component& ipcq_;
  MachineServices& machine_;
  EndOfTimestep::Listener& engine_;
  PeIdentity where_;
  std::size_t capacity_ = 0;
  std::deque<Signals> signals_;  // of queue pair 0, 1, ...: as many as there ever were
  bool signals_declared_ = false;
  IpcqSetup setup_;
  std::uint64_t installation_ = 0;
  bool was_reset_ = false;  // a launch has failed
  std::string why_reset_;
  std::vector<Queue> queues_;    // as in setup_.queue_pairs
  std::size_t served_last_ = 0;  // by a receive without a direction
  std::uint64_t credits_received_ = 0;
  ServiceTarget<MessageArrival> arrivals_{ipcq_, *this};
  ServiceTarget<CreditDelivery> deliveries_{ipcq_, *this};
};

}  // namespace kernbench
