// DefaultGroup: state that init_process_group creates: the settings on which all ranks agree, their
// ring buffers, the group of all ranks, and the groups that new_group creates.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sw/distributed/process_group.h"
#include "sw/distributed/rank_count.h"

namespace kernbench {

// Arguments of a rank's init_process_group.
struct GroupSettings {
  CclChanges changes;
  std::optional<int> world_size;  // has no effect
};

class DefaultGroup {
 public:
  // Installs the rings; blocks. `rank` passes the settings; none: the program itself. UsageError:
  // an unknown algorithm or key, a world size that the machine does not have, a SIP topology that
  // the algorithm does not support. After any error there is no group and the previous installation
  // is unchanged.
  DefaultGroup(DistributedState& state, std::optional<int> rank, const GroupSettings& given);

  const std::shared_ptr<ProcessGroup>& world() const { return world_; }
  const CclSettings& settings() const { return shared_->settings; }

  // A rank, or without one the program on behalf of all ranks, has called init_process_group.
  // UsageError: a second call, settings that differ from the first rank's, or a number of ranks
  // that differs from the group's.
  void join(std::optional<int> rank, const GroupSettings& given);
  // UsageError of `call` if the spawned ranks are not those of the group.
  void check_spawned(const std::string& call) const;
  bool joined(std::optional<int> rank) const;
  // Removes the rank and its groups; the last rank removes the rings, which blocks. UsageError if
  // other ranks wait for it, or if the program has called init_process_group on its behalf.
  void leave(std::optional<int> rank);
  // The rank has destroyed the group or ended; it cannot join again while the group exists.
  bool left(std::optional<int> rank) const { return rank && gone_.count(*rank) != 0; }
  std::string others() const;  // ranks that have not left: "ranks 1, 2"
  // All ranks have left or ended, or none has joined, and the program has left.
  bool over() const;
  bool in_use() const { return program_joined_ || !joined_.empty(); }
  // Starts the ranks; each counts its calls from the first one on. Subgroups of an earlier spawn
  // have ended.
  void start();
  // The rank makes no more calls. UsageError if other ranks wait for it.
  void end(int rank);

  // Creates a group; every rank calls it, in the same order. `ranks` in any order; none: all ranks.
  // UsageError: an unknown rank, a duplicate, or a list that differs from another rank's.
  std::shared_ptr<ProcessGroup> new_group(int rank, std::optional<std::vector<int>> ranks);
  void leave(ProcessGroup& group, int rank);
  // A message of any group that a rank has still to call.
  std::string unmatched_message() const;

 private:
  void check_agreement(std::optional<int> rank, const GroupSettings& given) const;
  std::vector<int> checked(std::vector<int> ranks) const;

  DistributedState& state_;
  std::shared_ptr<SharedGroupState> shared_;
  std::optional<int> first_rank_;  // rank that passed the settings; none: the program
  std::optional<int> world_size_;  // as passed by that rank
  std::shared_ptr<ProcessGroup> world_;
  std::set<int> joined_, gone_;  // ranks that have left or ended
  bool program_joined_ = false;

  CallOrder creations_;  // calls of new_group
  std::vector<std::shared_ptr<ProcessGroup>> groups_;
  int numbers_ = 0;
};

}  // namespace kernbench
