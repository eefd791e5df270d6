// One PE of real engines, bound as assembly binds them, with memories next to its DMA and a stub of
// its m_cpu. Inside a forked child:
//
//   PeTestbench pe({{"pe_gemm", {{"macs_per_cycle", "1024"}}}});  // attributes other than the
//       defaults
//   pe.at(0, [&] { a = pe.submit(DotCommand{32, 64, 32}); });
//   pe.run();  // elaborates; checks that nothing broke and nothing is left over
//   pe.ops() ...
//
// Memories mem0, mem1, mem2 of 1 MiB each from physical address 0 on, the TCM at 16 MiB. Each hangs
// on a link of its own: 256 GB/s, 1 fs. An answer takes no time unless `memory_ns` says so. A DMA
// of n flits on an idle machine thus takes overhead + n ns + 2 fs. The memories have 4 channels and
// bursts of 256 B, and no links of channels: a request for one channel takes the memory's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "models/fabric/memory_service.h"
#include "models/noc/link.h"
#include "models/pe/kernel_calls.h"
#include "models/protocol/fabric_calendar.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench::test {

// A memory, or the m_cpu: receives responses, records requests.
class PeNeighbour final : public FabricNode {
 public:
  PeNeighbour(const ComponentInit& init, Fs latency);
  struct Seen {
    Fs time = 0;  // of the command, or of the last flit
    bool write = false;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint16_t channel = every_channel;
  };
  const std::vector<Seen>& seen() const { return seen_; }
  void send_request(Transaction& transaction) {
    const std::uint32_t flits = transaction.route().flits;
    if (flits == 0) send(transaction, 0, 0, 0, now());
    for (std::uint32_t flit = 0; flit < flits; ++flit) send(transaction, flit, 1, 0, now());
  }

 private:
  Fs next_due() const override;
  void serve() override;

  TerminalMemory memory_;
  std::vector<Seen> seen_;
};

// User of the services of a PE; replaces PE_CPU and the other initiators.
class PeUser final : public Component,
                     private ServiceListener<DmaRequest>,
                     private ServiceListener<TcmRequest> {
 public:
  explicit PeUser(const ComponentInit& init) : Component(init) {}

  CommandQueue commands;
  CommandQueue::Kernel kernel;
  ServiceInitiator<DmaRequest> to_dma{this};
  ServiceInitiator<TcmRequest> to_tcm{this};
  ServiceInitiator<TranslationRequest> to_mmu;
  ServiceInitiator<SegmentRequest> to_segments;
  // "granted 7 5.5 ns", "ended 7 8 ns": tag and time of responses to transfers and accesses.
  std::vector<std::string> responses;

 private:
  void nb_transport_bw(DmaRequest& request, const tlm::tlm_phase& phase) override {
    log(phase, request.tag);
  }
  void nb_transport_bw(TcmRequest& request, const tlm::tlm_phase& phase) override {
    log(phase, request.tag);
  }
  void log(const tlm::tlm_phase& phase, std::uint32_t tag) {
    const std::string what = phase == tlm::END_REQ ? "granted " : "ended ";
    responses.push_back(what + std::to_string(tag) + " " + format_ns(now()));
  }
};

class PeTestbench final : public MachineServices,
                          private Routes,
                          private tlm::tlm_analysis_if<ExecutedOp>,
                          private tlm::tlm_analysis_if<TraceEvent>,
                          private TransactionListener {
 public:
  using Settings = std::map<std::string, std::map<std::string, std::string>>;
  static constexpr std::uint64_t memory_bytes = 1 << 20;
  static constexpr std::uint64_t tcm_base = 16 << 20;

  explicit PeTestbench(const Settings& settings = {}, Fs memory_latency = 0,
                       AddressModel model = AddressModel::va);
  ~PeTestbench() override;

  // Replaces an engine by a different implementation, before run(). The old one stays there
  // unbound.
  template <class T>
  void replace(const std::string& name) {
    const std::string other = "other_" + name;
    Attributes attributes = defaults_of(schema_of<typename T::Parameters>());
    attributes.set("flit_bytes", Rational(256));
    replaced_.push_back(std::move(engines_.at(name)));
    engines_[name] = make_component<T>({other.c_str(), id(name), attributes, *this});
  }

  // Runs at `time` on a thread of its own.
  void at(Fs time, std::function<void()> action);
  void run();
  Fs now() const { return Component::now(); }

  // Directly to the scheduler, with ids 1, 2, 3, ...
  template <class What>
  std::shared_ptr<CommandState> submit(const What& what) {
    return submit_as(next_id_++, what);
  }
  template <class What>
  std::shared_ptr<CommandState> submit_as(std::uint64_t id, const What& what) {
    auto state = std::make_shared<CommandState>(id);
    Command command;
    command.what = what;
    done_[state->id()] = never_fs;
    commands().submit(kernel(), state, std::move(command));
    return state;
  }
  // When the command completed; never_fs if it has not.
  Fs done_at(std::uint64_t id) const;

  // A control message from m_cpu, and when its answer came back there (never_fs if it has not).
  std::size_t send_control(const std::string& to, std::shared_ptr<const Message> message,
                           bool posted = false);
  // Memory traffic of another initiator to the TCM of this PE.
  std::size_t send_to_tcm(bool write, std::uint64_t offset, unsigned bytes);
  struct Answer {
    Fs time = never_fs;
    std::shared_ptr<const Message> message;
  };
  const Answer& answer(std::size_t request) const { return answers_.at(request); }
  const HostResponse& response(std::size_t request) const {
    return dynamic_cast<const HostResponse&>(*answer(request).message);
  }

  struct Op {
    Fs start, end;
    std::string node, name;
    std::uint64_t command;
    std::int64_t tile;
    std::uint64_t bytes;
  };
  const std::vector<Op>& ops() const { return ops_; }
  std::vector<Op> ops(const std::string& name) const;  // in order of their starts
  Op op(const std::string& name, std::int64_t tile = -1,
        std::uint64_t command = 0) const;  // the only one of these; command 0: any
  const std::vector<TraceEvent>& trace() const { return trace_; }
  std::uint64_t statistic(const std::string& engine, const std::string& name);
  Component& engine(const std::string& name) { return *engines_.at(name); }
  PeUser& user() { return *user_; }
  CommandQueue& commands() { return user_->commands; }
  CommandQueue::Kernel& kernel() { return user_->kernel; }
  struct Translation {
    PhysRanges ranges;
    Fs cost = 0;
  };
  Translation translate(std::uint64_t address, std::uint64_t nbytes);
  PeNeighbour& memory(int i) { return *memories_.at(static_cast<std::size_t>(i)); }
  const std::string& fault() const { return fault_; }
  void expect_fault() { fault_expected_ = true; }

  TransactionPool& pool() override { return pool_; }
  Routes& routes() override { return *this; }
  const MachineDescription& machine() const override { return machine_; }
  FunctionalModel* data() override { return nullptr; }
  void fatal(const sc_core::sc_object& where, const std::string& what) override;
  PendingWaits& pending_waits() override { return pending_waits_; }
  EndOfTimestep& end_of_timestep() override { return end_of_timestep_; }
  FabricCalendar& calendar() override { return calendar_; }
  Observation& observation() override { return observation_; }

 private:
  void add_engine(const Implementation& implementation, const Settings& settings);
  void bind_engines();
  void connect(const std::string& a, const std::string& b, bool link);
  void elaborate();
  NodeId id(const std::string& name) const;
  FabricNode& fabric_node(NodeId node) const;
  std::uint16_t port_of(NodeId from, NodeId to) const;
  const Path& path(const std::vector<std::string>& nodes);
  Transaction& make_request(tlm::tlm_command command, const Path& path);
  void completed(Transaction& transaction) override;

  // Routes.
  const Path& memory_path(NodeId initiator, NodeId memory) override;
  const Path& channel_path(NodeId initiator, NodeId memory, std::uint16_t) override {
    return memory_path(initiator, memory);
  }
  const Path& control_path(NodeId source, NodeId target) override {
    return path({names_[source], names_[target]});
  }

  void write(const ExecutedOp& op) override;
  void write(const TraceEvent& event) override;

  void describe_machine(AddressModel model);
  void describe_nodes();

  MachineDescription machine_;
  std::vector<std::string> names_;  // sorted
  Observation observation_;
  TransactionPool pool_{&observation_.transaction_ends};
  PendingWaits pending_waits_;
  EndOfTimestep end_of_timestep_{"end_of_timestep"};
  FabricCalendar calendar_{"fabric_calendar"};
  ProtocolMonitors monitors_{
      [this](const sc_core::sc_object& where, const std::string& what) { fatal(where, what); }};
  std::map<std::string, std::unique_ptr<Component>> engines_;
  std::vector<std::unique_ptr<Component>> replaced_;
  std::unique_ptr<PeUser> user_;
  std::vector<std::unique_ptr<PeNeighbour>> memories_;
  std::unique_ptr<PeNeighbour> m_cpu_;
  struct Edge {
    NodeId from, to;
    bool link;
  };
  std::vector<Edge> edges_;
  std::vector<std::unique_ptr<Link>> links_;
  std::map<std::vector<std::string>, std::unique_ptr<Path>> paths_;
  std::vector<TransactionHandle> requests_;
  std::vector<Answer> answers_;
  std::vector<Op> ops_;
  std::vector<TraceEvent> trace_;
  std::map<std::uint64_t, Fs> done_;
  std::uint64_t next_id_ = 1;
  std::uint32_t keys_ = 0;
  std::size_t actions_ = 0;
  std::string fault_;
  bool fault_expected_ = false;
  bool elaborated_ = false;
};

}  // namespace kernbench::test
