// ProcessGroup: the ranks of torch.distributed, their ring buffers, and what becomes of a call of one of them: it is checked,
// matched with the same call of the others, wired, and launched on the caller's device.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sw/collectives/algorithm_registry.h"
#include "sw/distributed/call_order.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/tensor.h"

namespace kernbench {

// A call as the user makes it. Lists are by rank.
struct GroupCall {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::string name;  // "all_reduce"
  std::vector<Tensor> inputs, outputs;
  ReduceOp reduce_op = ReduceOp::sum;
  int root = 0;  // of broadcast and reduce; the sender of send_recv
  int peer = 0;  // the receiver of send_recv
};

class ProcessGroup {
 public:
  // Installs the rings; blocks. UsageError: an unknown algorithm, a key that it does not know, a world size that the machine does
  // not have, a SIP topology that it does not support. After any error there is no group and what was installed before is still
  // there.
  ProcessGroup(Runtime& runtime, const CclChanges& changes);

  const RankGroup& ranks() const { return ranks_; }
  const CclSettings& settings() const { return settings_; }
  const CollectiveAlgorithm& algorithm_of(CollectiveOp op) const;

  // A rank, or with none the program itself on behalf of all, has called init_process_group. UsageError: again, or ranks that are
  // not as many as the group has.
  void join(std::optional<int> rank, int spawned);
  bool joined(std::optional<int> rank) const;
  void leave(std::optional<int> rank);
  bool in_use() const { return program_joined_ || !joined_.empty(); }
  // Ranks begin, and count their calls from the first one on.
  void start();

  // Begins a collective on the device of `worker`, or one side of a message between two ranks. Blocks only where ranks have to wait
  // for new ring buffers. UsageError: what the algorithm does not accept, a call that differs from the others'.
  Work call(Worker& worker, int rank, const GroupCall& given);
  // All ranks, and their pending work. No simulated time.
  void barrier(Worker& worker, int rank);
  // The rank calls nothing any more. UsageError if others wait for it.
  void end(int rank);

 private:
  CollectiveCall settled(Worker& worker, int rank, const GroupCall& given) const;
  void check_distinct(int rank, const GroupCall& given) const;
  void check_shards(const CollectiveCall& call, const GroupCall& given, const Tensor& tensor) const;
  std::string text_of(const GroupCall& given, const CollectiveCall& call) const;
  OrderedCall& ordered(int rank, const GroupCall& given, const std::string& what);
  void meet(OrderedCall& call, int expected, const std::function<void()>& last);
  void check_nothing_waits(const std::string& name) const;
  void wire(const GroupCall& given, const NeighbourGraph& graph, OrderedCall& call);
  std::shared_ptr<CollectiveRecord> record_of(const GroupCall& given, const CollectiveCall& call,
                                              const CollectiveAlgorithm& algorithm);

  Runtime& runtime_;
  CclSettings settings_;
  RankGroup ranks_;
  Wiring wiring_;
  CallOrder order_;
  std::map<std::pair<int, int>, CallOrder> messages_;  // by sender and receiver
  std::set<int> joined_, ended_;
  bool program_joined_ = false;
};

}  // namespace kernbench
