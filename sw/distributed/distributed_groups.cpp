// Groups of torch.distributed: new_group and queries of a group.
#include <fmt/format.h>

#include <set>

#include "models/base/errors.h"
#include "sw/distributed/default_group.h"
#include "sw/distributed/distributed.h"
#include "sw/runtime/call_listener.h"

namespace kernbench {

ProcessGroup& Distributed::group_of(const std::string& call, const Group& group) const {
  DefaultGroup& all = default_group(call);
  return group.group_ == nullptr ? *all.world() : *group.group_;
}

bool Distributed::is_member(const std::string& call, const Group& group) const {
  const ProcessGroup& ranks = group_of(call, group);
  const int rank = worker().rank().value_or(0);
  if (ranks.number() != 0 && ranks.ended(rank))
    throw UsageError(fmt::format("{}: {} has been destroyed", call, ranks.name()));
  return ranks.ranks().rank_of(rank).has_value();
}

ProcessGroup& Distributed::own_group(const std::string& call, const Group& group) const {
  if (!is_member(call, group))
    throw UsageError(fmt::format("{}: rank {} is not in {}", call, worker().rank().value_or(0),
                                 group_of(call, group).name()));
  return group_of(call, group);
}

ProcessGroup* Distributed::group_to_call(const std::string& call, const Group& group,
                                         int rank) const {
  if (is_member(call, group)) return &group_of(call, group);
  state_.runtime.warn(
      fmt::format("torch.distributed.{} on rank {}, which is not in {}: does nothing", call, rank,
                  group_of(call, group).name()));
  return nullptr;
}

// --- Queries of a group

std::string Distributed::get_backend(const Group& group) const {
  own_group("get_backend", group);
  return "ahbm";
}

int Distributed::get_world_size(const Group& group) const {
  return is_member("get_world_size", group) ? group_of("get_world_size", group).ranks().size : -1;
}

int Distributed::get_rank(const Group& group) const {
  default_group("get_rank");
  if (!worker().rank())
    state_.runtime.warn(
        "torch.distributed.get_rank outside a worker of torch.multiprocessing.spawn is 0");
  if (!is_member("get_rank", group)) return -1;
  return *group_of("get_rank", group).ranks().rank_of(worker().rank().value_or(0));
}

std::vector<int> Distributed::get_process_group_ranks(const Group& group) const {
  return own_group("get_process_group_ranks", group).members();
}

int Distributed::get_global_rank(const Group& group, int group_rank) const {
  const ProcessGroup& ranks = own_group("get_global_rank", group);
  if (group_rank < 0 || group_rank >= ranks.ranks().size)
    throw UsageError(fmt::format("get_global_rank: rank {} of {}, which has ranks 0 to {}",
                                 group_rank, group.str(), ranks.ranks().size - 1));
  return ranks.ranks().world_rank(group_rank);
}

int Distributed::get_group_rank(const Group& group, int global_rank) const {
  const std::optional<int> rank = own_group("get_group_rank", group).ranks().rank_of(global_rank);
  if (!rank)
    throw UsageError(fmt::format("get_group_rank: rank {} is not in {}", global_rank, group.str()));
  return *rank;
}

// --- Creation and end of groups

Group Distributed::new_group() {
  default_group("new_group");
  worker().calling("distributed.new_group");
  return Group(state_.group->new_group(rank_of("new_group"), std::nullopt));
}

Group Distributed::new_group(const std::vector<int>& ranks) {
  default_group("new_group");
  worker().calling("distributed.new_group");
  return Group(state_.group->new_group(rank_of("new_group"), ranks));
}

Subgroups Distributed::new_subgroups_by_enumeration(const std::vector<std::vector<int>>& ranks) {
  const char* call = "new_subgroups_by_enumeration";
  default_group(call);
  if (ranks.empty()) throw UsageError(fmt::format("{}: no groups", call));
  std::set<int> all;
  for (const std::vector<int>& group : ranks) {
    for (const int rank : group) {
      if (!all.insert(rank).second) throw UsageError(fmt::format("{}: rank {} twice", call, rank));
    }
  }
  Subgroups made;
  for (const std::vector<int>& group : ranks) {
    made.all.push_back(new_group(group));
    if (is_member(call, made.all.back())) made.mine = made.all.back();
  }
  return made;
}

Subgroups Distributed::new_subgroups(int group_size) {
  const int ranks = get_world_size();
  if (group_size < 1 || ranks % group_size != 0)
    throw UsageError(
        fmt::format("new_subgroups: groups of {} ranks, of {}; their size divides the "
                    "number of ranks",
                    group_size, ranks));
  std::vector<std::vector<int>> groups;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank % group_size == 0) groups.emplace_back();
    groups.back().push_back(rank);
  }
  return new_subgroups_by_enumeration(groups);
}

void Distributed::destroy_process_group(const Group& group) {
  if (group.group_ == nullptr) return destroy_process_group();
  worker().calling("distributed.destroy_process_group");
  const int rank = rank_of("destroy_process_group");
  if (!is_member("destroy_process_group", group)) return;
  worker().wait_for_begun_and_those_of(group.group_.get());
  state_.group->leave(*group.group_, rank);
}

void Distributed::barrier(const Group& group) {
  default_group("barrier");
  worker().calling("distributed.barrier");
  const int rank = rank_of("barrier");
  ProcessGroup* ranks = group_to_call("barrier", group, rank);
  if (ranks == nullptr) return;
  const ObservedCall observed(state_.runtime.calls, {rank, "barrier", ranks->name()});
  ranks->barrier(worker(), rank);
}

void Distributed::monitored_barrier(const Group& group, const sc_core::sc_time& timeout,
                                    bool wait_all_ranks) {
  default_group("monitored_barrier");
  worker().calling("distributed.monitored_barrier");
  const int rank = rank_of("monitored_barrier");
  ProcessGroup* ranks = group_to_call("monitored_barrier", group, rank);
  if (ranks == nullptr) return;
  const ObservedCall observed(state_.runtime.calls, {rank, "monitored_barrier", ranks->name()});
  ranks->monitored_barrier(worker(), rank, timeout.value(), wait_all_ranks);
}

}  // namespace kernbench
