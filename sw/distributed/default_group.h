// DefaultGroup: what init_process_group makes: the settings on which all ranks agree, their ring
// buffers, the group of all ranks, and those of some that new_group makes.
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
  // Installs the rings; blocks. UsageError: an unknown algorithm or key, a world size that the
  // machine does not have, a SIP topology that the algorithm does not support. After any error
  // there is no group and what was installed before is still there. `rank`: the one that gives the
  // settings; none for the program itself.
  DefaultGroup(DistributedState& state, std::optional<int> rank, const GroupSettings& given);

  const std::shared_ptr<ProcessGroup>& world() const { return world_; }
  const CclSettings& settings() const { return shared_->settings; }

  // A rank, or with none the program itself on behalf of all, has called init_process_group.
  // UsageError: again, with other settings than the first rank, or ranks that are not as many as
  // the group has.
  void join(std::optional<int> rank, const GroupSettings& given);
  // UsageError of `call`: the ranks that have been spawned are not those of the group.
  void check_spawned(const std::string& call) const;
  bool joined(std::optional<int> rank) const;
  // With its groups; the last one takes the rings away, which blocks. UsageError if others wait for
  // it, or if the program has called init_process_group for it.
  void leave(std::optional<int> rank);
  // The rank has destroyed the group or ended; it cannot join again while the group exists.
  bool left(std::optional<int> rank) const { return rank && gone_.count(*rank) != 0; }
  std::string others() const;  // ranks that have not: "ranks 1, 2"
  // All ranks have left or ended, or none has joined, and the program has left.
  bool over() const;
  bool in_use() const { return program_joined_ || !joined_.empty(); }
  // Ranks begin, and count their calls from the first one on; groups of some ranks have ended.
  void start();
  // The rank calls nothing any more. UsageError if others wait for it.
  void end(int rank);

  // As every rank calls it, in the same order. `ranks` in any order; none: all. UsageError: no such
  // ranks, one of them twice, other ranks than another rank has given.
  std::shared_ptr<ProcessGroup> new_group(int rank, std::optional<std::vector<int>> ranks);
  void leave(ProcessGroup& group, int rank);
  // Of all groups: a message that a rank has still to call.
  std::string unmatched_message() const;

 private:
  void check_agreement(std::optional<int> rank, const GroupSettings& given) const;
  std::vector<int> checked(std::vector<int> ranks) const;

  DistributedState& state_;
  std::shared_ptr<SharedGroupState> shared_;
  std::optional<int> first_rank_;  // which has given the settings; none: the program
  std::optional<int> world_size_;  // as it has given it
  std::shared_ptr<ProcessGroup> world_;
  std::set<int> joined_, gone_;  // ranks that have left or ended
  bool program_joined_ = false;

  CallOrder creations_;  // calls of new_group
  std::vector<std::shared_ptr<ProcessGroup>> groups_;
  int numbers_ = 0;
};

}  // namespace kernbench
