// Base class of io_cpu and m_cpu: processors of the control path that forward a request to several
// endpoints and answer once.
//
// Timing: a request takes effect `overhead_ns` after its arrival; requests do not wait for each
// other, so no launch reaches a PE later than its stamp. Returning answers cost nothing. Forwarded
// messages leave at once, all in the same instant. A memory request addressed to the node is
// answered `overhead_ns` after its command or last flit; see memory_due().
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/base/log.h"
#include "models/base/parameter_set.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

class ControlNode : public FabricNode, private TransactionListener {
 public:
  // Parameters of every control node.
  struct ControlParameters : ParameterSet {
    explicit ControlParameters(int default_overhead_ns);
    explicit ControlParameters(const Attributes& values);
    Param<Fs> overhead;
  };
  ~ControlNode() override;

  // Resolves a run without progress, in which PEs without an answer are blocked: under collect_all
  // it ends the PEs whose launch has failed elsewhere, as under fail_fast, and lists them with
  // their stall reasons (spec 4.2). Returns false if there are none.
  bool end_blocked_launches();

 protected:
  explicit ControlNode(const ComponentInit& init);

  // Destination of a forwarded request.
  struct End {
    NodeId node = no_node;
    std::optional<PeId> pe;  // PE of the engine; unset for an m_cpu
    bool answered = false;
    bool at_barrier = false;  // waits in tl.barrier
  };
  // A request in progress.
  struct FanOut {
    std::uint64_t tag = 0;
    Transaction* request = nullptr;  // null once its answer has left; kept alive by its owner
    std::shared_ptr<const PeMessage> received;
    std::shared_ptr<const PeMessage> sent;  // as forwarded: a launch may have been stamped
    std::vector<End> ends;
    std::size_t awaited = 0;
    HostResponse merged;
    bool ended_early = false;  // an abort has been sent to its PEs
    std::size_t pending_wait = 0;

    bool fail_fast() const;
  };

  // A request for PEs whose overhead has been paid.
  virtual void arrived(Transaction& request, std::shared_ptr<const PeMessage> message) = 0;
  virtual std::vector<End> ends_of(const PeMessage& message) const = 0;
  // Called when a PE has failed and the other PEs of its launch are to end; this node has already
  // sent an abort to its own endpoints.
  virtual void failed_early(FanOut& fan_out, PeId where, const Completion& completion) = 0;
  // Called when every endpoint waits in tl.barrier.
  virtual void reached_barrier(FanOut& fan_out) = 0;
  // Called for the notice of another node of this kind.
  virtual void reached_barrier_elsewhere(const BarrierReached& /*notice*/) {}
  // Cancels a launch that has arrived and has not been fanned out: true if it was here.
  virtual bool withdrawn(const LaunchAbort& /*notice*/) { return false; }
  // Called when every endpoint has answered and the request has been answered.
  virtual void finished(const FanOut& /*fan_out*/) {}
  // Completion time of a memory request that arrived at `arrival`.
  virtual Fs memory_due(const Transaction& /*request*/, Fs arrival) { return arrival + overhead_; }

  // Sends `message` to every endpoint; answers `request` when all have answered.
  void fan_out(Transaction& request, std::shared_ptr<const PeMessage> received,
               std::shared_ptr<const PeMessage> message);
  void answer(FanOut& fan_out);
  void refuse(Transaction& request, const std::string& code, const std::string& text);
  void post(const Path& path, std::shared_ptr<const Message> message);
  // Sends to the node that sent the request of the launch, on the path of the later answer.
  void pass_on_barrier(const FanOut& fan_out);
  void end_barrier(const FanOut& fan_out);           // notifies the targets
  FanOut* fan_out_of(const KernelLaunch& received);  // null: every PE has answered

  Fs overhead() const { return overhead_; }
  MachineServices& machine_services() const { return machine_services_; }
  const MachineDescription& machine() const { return machine_services_.machine(); }

 private:
  struct Due {
    Fs time = never_fs;
    Arrival arrival;
  };

  Fs next_due() const final;
  void serve() final;
  std::size_t depth(Fs now) const final { return FabricNode::depth(now) + due_.size(); }
  const Arrival* in_service(Fs now) const final {
    return due_.empty() ? FabricNode::in_service(now) : &due_.front().arrival;
  }
  void file(const Arrival& arrival);  // an answer, or a request until it is due
  void take(Transaction& request);
  void take_failure(const LaunchFailed& notice);
  void take_abort(const LaunchAbort& notice);
  void take_barrier(const BarrierReached& notice, NodeId end);
  void finish_memory(Transaction& request);

  void completed(Transaction& transaction) final;
  template <class Text>
  void log(const PeMessage& message, const Text& text) const;
  std::string text_of_fan_out(const FanOut& entry) const;
  void merge(FanOut& fan_out, const End& end, const HostResponse& response);
  void end_others(FanOut& fan_out, NodeId failed, PeId where, const Completion& completion);
  void abort_ends(const FanOut& fan_out, NodeId except, const std::string& cause);
  void restate_wait(FanOut& fan_out);
  std::string unanswered(const FanOut& fan_out) const;  // text for deadlock reports

  Transaction& send_control(const Path& path, std::shared_ptr<const Message> message, bool posted,
                            std::uint64_t tag);
  void respond(Transaction& request, std::shared_ptr<const HostResponse> response);

  MachineServices& machine_services_;
  Fs overhead_;
  TieKeySource keys_;
  RingBuffer<Due> due_;  // by time, then in order of arrival
  std::vector<TransactionHandle>
      sent_;                    // sent by this node and not ended, in the order of their keys
  std::list<FanOut> fan_outs_;  // in the order of their tags
  std::uint64_t next_tag_ = 0;
  std::uint64_t requests_ = 0;
  Log log_{*this};
};

// Answer for failures of several PEs: all texts and the first code; PEs that failed by themselves
// are first.
Completion merged_completion(const std::map<PeId, Completion>& failures);

}  // namespace kernbench
