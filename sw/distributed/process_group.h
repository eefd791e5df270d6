// ProcessGroup: the ranks of torch.distributed, their ring buffers, and the course of a rank's
// call: checked, matched with the same call of the others, wired, and launched on the caller's
// device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sw/collectives/algorithm_registry.h"
#include "sw/distributed/call_order.h"
#include "sw/distributed/distributed_state.h"
#include "sw/distributed/group_call.h"
#include "sw/distributed/message_board.h"
#include "sw/distributed/rank_count.h"
#include "sw/distributed/wiring.h"

namespace kernbench {

// Arguments of a rank's init_process_group.
struct GroupSettings {
  CclChanges changes;
  std::optional<int> world_size;  // has no effect
};

class ProcessGroup {
 public:
  // Installs the rings; blocks. UsageError: an unknown algorithm or key, a world size that the
  // machine does not have, a SIP topology that the algorithm does not support. After any error
  // there is no group and what was installed before is still there. `rank`: the one that gives the
  // settings; none for the program itself.
  ProcessGroup(DistributedState& state, std::optional<int> rank, const GroupSettings& given);

  const RankGroup& ranks() const { return ranks_; }
  const CclSettings& settings() const { return settings_; }
  // As the settings say. UsageError where each call has its own.
  const CollectiveAlgorithm& algorithm_of(CollectiveOp op) const;

  // A rank, or with none the program itself on behalf of all, has called init_process_group.
  // UsageError: again, with other settings than the first rank, or ranks that are not as many as
  // the group has.
  void join(std::optional<int> rank, const GroupSettings& given);
  // UsageError of `call`: the ranks that have been spawned are not those of the group.
  void check_spawned(const std::string& call) const;
  bool joined(std::optional<int> rank) const;
  void leave(std::optional<int> rank);
  bool in_use() const { return program_joined_ || !joined_.empty(); }
  // Ranks begin, and count their calls from the first one on.
  void start();

  // A collective: it begins on all devices when the last rank has called it. Blocks only where
  // ranks have to wait for new ring buffers. UsageError: what the algorithm does not accept, a call
  // that differs from the others'.
  Work call(Worker& worker, int rank, const GroupCall& given);
  // One side of a message between two ranks (message_board.h); of a receive from any source
  // given.root is not looked at.
  Work message(Worker& worker, int rank, const GroupCall& given, bool any_source);
  // All ranks, and their pending work. No simulated time.
  void barrier(Worker& worker, int rank);
  // The rank calls nothing any more. UsageError if others wait for it.
  void end(int rank);

 private:
  void check_agreement(std::optional<int> rank, const GroupSettings& given) const;
  CollectiveCall resolved(int rank, const GroupCall& given) const;
  static void check_whole(const GroupCall& given, const Tensor& tensor);
  // Of a call, with the algorithm's own settings put into it.
  const CollectiveAlgorithm& algorithm_for(CollectiveCall& call) const;
  void check_shards(const CollectiveCall& call, const GroupCall& given, const Tensor& tensor) const;
  std::string shards_of(const CollectiveCall& call) const;
  void begin(OrderedCall& call);
  void meet(OrderedCall& call, int expected, const std::function<void()>& last);
  void check_nothing_waits(const std::string& name) const;
  void link(const GroupCall& given, const NeighbourGraph& graph, OrderedCall& call);
  std::shared_ptr<CollectiveRecord> record_of(const GroupCall& given, const CollectiveCall& call,
                                              const CollectiveAlgorithm& algorithm);
  std::string text_of_all_ranks(const GroupCall& given, const CollectiveCall& call) const;

  // Messages.
  struct MessageLaunch;
  void link_messages(const GroupCall& given, CollectiveCall call);
  void begin_message(MessageSide& side);
  std::uint32_t slots_of(const CollectiveCall& call) const;

  DistributedState& state_;
  CclSettings settings_;
  std::optional<int> first_rank_;  // which has given them; none: the program
  std::optional<int> world_size_;  // as it has given it
  RankGroup ranks_;
  Wiring wiring_;
  CallOrder order_;
  std::uint32_t stream_;  // of its collectives
  MessageBoard messages_;
  std::map<std::pair<int, int>, std::uint32_t> message_streams_;  // by sender and receiver
  std::set<int> joined_;
  bool program_joined_ = false;
};

}  // namespace kernbench
