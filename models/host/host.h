// The host: runs a program on an SC_THREAD (and its workers on others) and carries its requests to
// the devices.
//
// Timing: none of its own. A request enters the fabric at the pcie_ep of its SIP at the instant of
// submit(); it completes when the answer has arrived there, a posted MemoryWrite when it has
// committed. Memory requests are sent directly to the memory; launches and MMU messages to the
// SIP's io_cpu, on the virtual channel of host control messages (spec 2.3, 2.7). With data on, a
// write's bytes are put into the memory store at its commit. A launch on several SIPs is one
// request per SIP: when one has failed, the others are aborted (spec 4.2). Not modelled: the host's
// own memory and processor.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "models/base/log.h"
#include "models/base/thread_turns.h"
#include "models/protocol/host_port.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"
#include "models/protocol/program_host.h"

namespace kernbench {

class Host final : public Component,
                   public HostPort,
                   public ProgramHost,
                   private TransactionListener {
 public:
  static constexpr unsigned thread_stack_bytes = 1u << 20;  // user code runs on it

  // Called once when the program and all its workers have returned, or with the first exception
  // that has left one of them.
  using Ended = std::function<void(std::exception_ptr)>;

  // Not a node of the topology (init.node is no_node).
  explicit Host(const ComponentInit& init);
  // Socket to the pcie_ep of a SIP; to be bound.
  ServiceInitiatorBase& to_pcie_ep(int sip) { return *to_pcie_eps_[static_cast<std::size_t>(sip)]; }

  // Before the simulation starts; the program outlives it.
  void set_program(HostProgram& program, Ended ended);

  std::optional<RunningProgram> running_program() const override;
  std::vector<RunningProgram> running_programs() const override;
  Fs now() const override { return Component::now(); }
  const MachineDescription& machine() const override { return machine_services_.machine(); }
  FunctionalModel* data() override { return machine_services_.data(); }
  // They throw UsageError for a message that spec 4.1 rejects, AddressError or RoutingError for an
  // address without a memory.
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const MemoryWrite> message) override;
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const MemoryRead> message) override;
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const MmuMap> message) override;
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const MmuUnmap> message) override;
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const SegmentInstall> message) override;
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const SegmentRemove> message) override;
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const IpcqInstall> message) override;
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const KernelLaunch> message) override;
  void wait(HostRequest& request) override;
  void wait(const sc_core::sc_event& event, const std::string& what) override;
  bool wait_until(const sc_core::sc_event& event, Fs deadline, const std::string& what) override;
  void spawn(const std::string& name, std::function<void()> body) override;
  void end_launches() override;

  // Counterpart of ControlNode::end_blocked_launches() for launches on several SIPs.
  bool end_blocked_launches();

 private:
  struct Pending {
    TransactionHandle transaction;
    std::shared_ptr<HostRequest> request;
    // At most one message is set; the others are null.
    std::shared_ptr<const MemoryWrite> write = nullptr;
    std::shared_ptr<const MemoryRead> read = nullptr;
    std::shared_ptr<const KernelLaunch> launch = nullptr;
    int sip = 0;
  };

  void wait_reported(const std::string& what, const std::function<void()>& wait);
  void await_turn();
  void program();
  void guarded(const std::function<void()>& body);
  std::string thrown(
      const std::string& what) const;  // text of an exception of the program, with its place
  std::shared_ptr<HostRequest> submit_control(std::shared_ptr<const PeMessage> message);
  // `cause`: the first failure, if it is known.
  void end_launch(std::shared_ptr<const KernelLaunch> launch, const std::string& cause = "");
  void end_others_of(std::uint64_t group, const std::string& cause = "");
  std::shared_ptr<HostRequest> inject(int sip, const Path& path, TransactionHandle transaction,
                                      Pending pending);
  void start(int sip, Transaction& transaction) {
    to_pcie_eps_[static_cast<std::size_t>(sip)]->nb_transport_fw(transaction);
  }
  TransactionHandle memory_request(tlm::tlm_command command, std::uint64_t pa,
                                   std::uint64_t nbytes);
  void completed(Transaction& transaction) override;
  void log_end(const Pending& pending, const Completion& completion) const;
  bool provide_bytes(const Transaction& transaction, unsigned char* out) override;
  std::shared_ptr<const HostResponse> response_to_memory(const Pending& pending,
                                                         const Transaction& transaction);
  void commit(const MemoryWrite& write);

  MachineServices& machine_services_;
  std::vector<std::unique_ptr<ServiceInitiator<Transaction>>> to_pcie_eps_;  // by SIP
  std::vector<TieKeySource> keys_;                                           // keys by SIP
  std::map<TieKey, Pending> pending_;
  std::map<TieKey, TransactionHandle> notices_;  // posted: no wait for completion
  std::vector<std::uint64_t> failed_groups_;     // under collect_all: the others go on
  HostProgram* program_ = nullptr;
  Ended ended_;
  std::size_t running_ = 0;                         // threads that have not returned
  std::map<std::string, unsigned> thread_numbers_;  // by name, in the order of their starts
  ThreadTurns turns_;
  std::uint64_t requests_ = 0;
  TraceSignal& pending_signal_;
  Log log_{*this};
  Log collectives_{*this, "ccl"};  // log of the host program's collectives
};

}  // namespace kernbench
