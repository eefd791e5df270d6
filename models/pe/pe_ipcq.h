// PE_IPCQ: the queue pairs of a PE (spec 8.1). For each stream of launches a queue pair has a send
// queue and a receive queue, each served in the order of the calls (ipcq_queues.h).
//
// Timing: overhead_ns per operation, back to back. A send stalls until the peer's ring has room
// (sleeping until a credit arrives, or polling every poll_ns), then PE_DMA takes the message and
// the send has ended. A receive stalls until its message has arrived, pays the slot read (and the
// write of a copy), moves the tail, and ends with the delivery of the credit: credit_fs() of
// models/timing/ipcq_rules.h later, on a side band that neither waits for nor loads links. Whether
// a credit or a message is available is decided at the end of the timestep. An asynchronous receive
// does not wait for its credit, which is sent all the same; neither does recv_no_consume, which
// pays nothing. Not modelled: the location of head and tail.
//
// Base class: a PE_IPCQ with other times derives from it, its Parameters from these, and overrides
// send_time() or receive_time().
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/component.h"
#include "models/base/log.h"
#include "models/base/parameter_set.h"
#include "models/pe/ipcq_queues.h"
#include "models/protocol/ipcq_services.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

class PeIpcq : public Component,
               private ServiceProvider<IpcqRequest>,
               private EndOfTimestep::Listener,
               private ServiceListener<RingRequest> {
 public:
  static constexpr const char* description = "ring buffers between PEs";
  static constexpr std::array roles{Role::pe_ipcq};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this,
        Parameter::duration_ns("overhead_ns", "time per operation", "spec 5").default_val(0)};
    Param<std::size_t> queue_pairs{
        *this,
        Parameter::integer("queue_pairs", "queue pairs that the engine can hold", "", "assumption")
            .default_val(64)
            .range("1", "256")};
  };
  explicit PeIpcq(const ComponentInit& init)
      : PeIpcq(init, init.attributes.as<Parameters>(), machine_services(init.services)) {}

  void report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& to) const override;
  std::vector<SignalDeclaration> signals_when_used() const override {
    return queues_.signals_of("pair{i}");
  }

 protected:
  // Override points: time from the start of an operation's turn to its check for a credit or a
  // message; called once per operation.
  virtual Fs send_time(const IpcqSend& /*send*/) { return overhead_; }
  virtual Fs receive_time(const IpcqReceive& /*receive*/) { return overhead_; }
  void declare_signals() override;

 private:
  enum class State : std::uint8_t {
    idle,
    sending,
    send_blocked,
    receiving,
    receive_blocked
  };  // values of the signal
  using Phase = IpcqJob::Phase;
  // Time in which at least one operation was blocked.
  struct Blocked {
    Fs ended = 0, since = 0;
    std::size_t operations = 0;
    void begin(Fs now) {
      if (operations++ == 0) since = now;
    }
    void end(Fs now) {
      if (--operations == 0) ended += now - since;
    }
    Fs until(Fs now) const { return ended + (operations > 0 ? now - since : 0); }
  };
  struct Credit {
    Fs due = never_fs;
    CreditDelivery delivery;
    std::uint32_t tag = 0;  // tag of the receive that waits for it
  };

  PeIpcq(const ComponentInit& init, const Parameters& parameters, MachineServices& machine);

  tlm::tlm_sync_enum nb_transport_fw(IpcqRequest& request, tlm::tlm_phase& phase) override;
  void b_transport(IpcqRequest& request, sc_core::sc_time& delay) override;
  void transport_dbg(IpcqRequest& request) override { request.setup = &setup(); }
  const IpcqSetup& setup() const { return queues_.setup(); }

  IpcqJob send_job(IpcqSend send) const;
  IpcqJob receive_job(IpcqReceive receive) const;
  Completion install(const IpcqInstall& message, const IpcqQueuePairs& mine);
  void kernel_ended(std::uint32_t stream, const IpcqKernelEnd& end);
  // Ends the jobs of one stream, or of all.
  void end_jobs(std::optional<std::uint32_t> stream, std::string_view why);

  void submit(IpcqJob job);
  void begin(IpcqJob& job);
  void show_state(const IpcqJob& job, State state);
  void show_oldest();
  static State state_of(const IpcqJob& job);
  void expire();
  void look_at_end_of_timestep() { machine_.end_of_timestep().ask(*this, node()); }
  void end_of_timestep() override;
  void arm();

  // Returns true when the job has ended.
  bool advance(IpcqJob& job);
  void block(IpcqJob& job);
  void unblock(IpcqJob& job);
  bool look_send(IpcqJob& job);
  bool look_receive(IpcqJob& job);
  bool find_message(IpcqJob& job);
  void take(IpcqJob& job);
  void order_by_slot(std::uint32_t agent, std::uint64_t slot) const;
  void access_slot(const IpcqJob& job, bool write, MemorySpace space);
  void access_ended(IpcqJob& job);
  void nb_transport_bw(RingRequest& access, const tlm::tlm_phase& phase) override;
  void consumed(IpcqJob& job);
  void finish(IpcqJob& job);

  // Reports: deadlocks, log, operation log, progress of messages.
  static std::string described(DType dtype, const Shape& shape);  // "f16[8]"
  std::string what_is_waited_for(const IpcqJob& job) const;
  std::string text_of(const IpcqJob& job) const;
  void log_end(const IpcqJob& job) const;
  void record(const IpcqJob& job);
  ExecutedOp op_until_now(const IpcqJob& job) const;  // without its data
  void report_sent(const IpcqMessage& message, std::uint64_t ring, std::uint32_t stream) const;
  void report_consumed(const IpcqJob& job, const Credit& credit) const;

  MachineServices& machine_;
  Fs overhead_;
  IpcqQueues queues_;
  ServiceTarget<IpcqRequest> operations_{*this, *this};
  PayloadPool<RingRequest> accesses_;
  ServiceInitiator<RingRequest> to_dma_{this};
  ServiceInitiator<CreditDelivery> to_network_{nullptr, Role::pe_ipcq, "credit_network"};

  IpcqWorkQueues jobs_{[this](IpcqJob& job) { begin(job); }};
  std::set<std::uint32_t> users_;  // streams whose running kernel has used the queues
  Fs free_at_ = 0;                 // end of the overhead of the last operation
  std::deque<Credit> credits_;     // in flight, by the time of their delivery

  sc_core::sc_event timer_;
  std::uint64_t sends_ = 0, receives_ = 0, bytes_sent_ = 0, bytes_received_ = 0, credits_sent_ = 0;
  Blocked send_blocked_, receive_blocked_;
  TraceSignal& state_signal_;
  Log log_{*this};
  Log collectives_{*this, "ccl"};  // sends and receives
};

}  // namespace kernbench
