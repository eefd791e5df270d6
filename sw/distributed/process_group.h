// ProcessGroup: some or all ranks of torch.distributed. A rank's call is checked, matched with the
// same call of the other ranks, wired, and launched on the caller's device.
//
// Groups share the ring buffers of the machine, each with its own directions. Each group has its
// own stream, so that collectives of several groups run concurrently. Rank numbers are those of the
// world, except in CollectiveCall, whose ranks count the members.
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
#include "sw/distributed/wiring.h"

namespace kernbench {

// State that all groups of a program share.
struct SharedGroupState {
  SharedGroupState(DistributedState& of, CclSettings given)
      : state(of), settings(std::move(given)), wiring(of.runtime, of.installation, settings.rings) {
  }

  DistributedState& state;
  CclSettings settings;
  Wiring wiring;
};

class ProcessGroup {
 public:
  // `number`: 0 for the group of all ranks, which has no name in messages.
  ProcessGroup(std::shared_ptr<SharedGroupState> shared, RankGroup ranks, int number);

  const RankGroup& ranks() const { return ranks_; }
  int number() const { return number_; }
  std::string name() const;      // "group 1 (ranks 0, 2)"; empty for the group of all ranks
  std::string prefix() const;    // prefix of its directions, "group1/"; empty for all ranks
  std::string in_group() const;  // " in group 1 (ranks 0, 2)", a suffix of a call's text
  const std::vector<int>& members() const { return members_; }
  // Algorithm from the settings. UsageError if each call chooses its own.
  const CollectiveAlgorithm& algorithm_of(CollectiveOp op) const;
  // Installs the rings for all_reduce of a tensor on PE 0 of every cube. Blocks. UsageError: a SIP
  // topology that the algorithm does not support.
  void install_at_the_start();

  // Resets the call counters of the members.
  void start();
  // Starts a collective, or several coalesced ones: one launch, which begins on all devices when
  // the last rank has called it. Blocks only if ranks must wait for new ring buffers. UsageError: a
  // call that the algorithm does not accept, or that differs from the other ranks'.
  Work call(Worker& worker, int rank, const std::vector<GroupCall>& given);
  // One side of a message between two ranks (message_board.h); a receive from any source ignores
  // given.root.
  Work message(Worker& worker, int rank, const GroupCall& given, bool any_source);
  // Waits for all members and their pending work in this group. No simulated time.
  void barrier(Worker& worker, int rank);
  // Waits for the members only, for at most `timeout`.
  void monitored_barrier(Worker& worker, int rank, Fs timeout, bool names_all);
  // The rank makes no more calls: it `has` ended. UsageError if other ranks wait for it.
  void end(int rank, const std::string& has = "has ended");
  // All members have ended: the next addition removes the rings.
  void close();
  // Removes the rings immediately. Blocks.
  void release_rings();
  bool ended(int rank) const { return ended_.count(rank) != 0; }
  bool all_ended() const { return ended_.size() == members_.size(); }
  // A message that a rank has still to call; empty: all have been matched.
  std::string unmatched_message() const { return messages_.unmatched(); }

 private:
  CollectiveCall resolved(int rank, const GroupCall& given) const;
  CollectiveStep step_of(int rank, const GroupCall& given) const;
  // Coalesced collectives have one dtype and use the same PEs; none uses the output of another.
  static void check_coalesced(const std::vector<GroupCall>& given,
                              const std::vector<CollectiveStep>& steps);
  // Algorithm of a call; puts the algorithm's own settings into the call.
  const CollectiveAlgorithm& algorithm_for(CollectiveCall& call) const;
  void check_place(const CollectiveCall& call, const GroupCall& given, const Tensor& tensor) const;
  std::string shards_of(const CollectiveCall& call) const;
  void begin(OrderedCall& call);
  void join_splits(OrderedCall& call) const;
  void meet(OrderedCall& call, const std::function<void()>& last);
  void link(const std::string& name, const std::vector<CollectiveStep>& steps, OrderedCall& call);
  std::shared_ptr<CollectiveRecord> record_of(const GroupCall& given,
                                              const std::vector<CollectiveStep>& steps);
  std::string text_of_all_ranks(const GroupCall& given, const CollectiveCall& call) const;

  // Messages.
  struct MessageLaunch;
  void link_messages(const GroupCall& given, CollectiveCall call);
  void begin_message(MessageSide& side);
  static void refuse_message(MessageSide& side, const std::exception_ptr& error);
  std::uint32_t slots_of(const CollectiveCall& call) const;

  std::shared_ptr<SharedGroupState> shared_;
  DistributedState& state_;
  const CclSettings& settings_;
  Wiring& wiring_;
  RankGroup ranks_;
  int number_;
  std::vector<int> members_;  // by rank of the group
  CallOrder order_;
  std::uint32_t stream_;  // stream of the group's collectives
  MessageBoard messages_;
  std::map<std::pair<int, int>, std::uint32_t> message_streams_;  // by sender and receiver
  std::set<int> ended_;
};

}  // namespace kernbench
