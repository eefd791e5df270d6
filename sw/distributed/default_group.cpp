#include "sw/distributed/default_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/base/errors.h"

namespace kernbench {
namespace {

std::vector<int> all_of(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string who(std::optional<int> rank) {
  return rank ? fmt::format("rank {}", *rank) : "the program";
}

}  // namespace

DefaultGroup::DefaultGroup(DistributedState& state, std::optional<int> rank,
                           const GroupSettings& given)
    : state_(state), shared_(std::make_shared<SharedGroupState>(
                         state, resolve(state.ccl, *state.algorithms, given.changes))),
      first_rank_(rank), world_size_(given.world_size),
      world_(std::make_shared<ProcessGroup>(
          shared_, ranks_of(state.runtime.link.port().machine(), settings()), 0)),
      creations_(world_->members(), "new_group") {
  world_->install_at_the_start();
}

// --- init_process_group

void DefaultGroup::join(std::optional<int> rank, const GroupSettings& given) {
  if (joined(rank))
    throw UsageError("init_process_group: the default process group has been initialized already");
  check_agreement(rank, given);
  if (!rank) {
    program_joined_ = true;
    return;
  }
  check_spawned("init_process_group");
  joined_.insert(*rank);
}

void DefaultGroup::check_agreement(std::optional<int> rank, const GroupSettings& given) const {
  const auto check = [&](const std::string& mine, const std::string& first) {
    if (mine != first)
      throw UsageError(
          fmt::format("init_process_group: the settings of the ranks differ: {} has {}, {} {}",
                      who(rank), mine, who(first_rank_), first));
  };
  const auto text_of = [](std::optional<int> size) {
    return size ? fmt::format("world_size {}", *size) : "no world_size";
  };
  const CclSettings mine = resolve(state_.ccl, *state_.algorithms, given.changes);
  check(differing_values(mine, settings()), differing_values(settings(), mine));
  check(text_of(given.world_size), text_of(world_size_));
}

void DefaultGroup::check_spawned(const std::string& call) const {
  const RankGroup& ranks = world_->ranks();
  const RankCount spawned{state_.spawned, state_.rank_unit}, wanted{ranks.size, ranks.unit};
  if (spawned.unit != wanted.unit)
    throw UsageError(
        fmt::format("{}: the ranks of the group are {}, but {} have been spawned; "
                    "torch.distributed.ranks_to_spawn() returns the ranks that ccl.yaml specifies",
                    call, wanted.str(), spawned.str()));
  if (spawned.size != wanted.size)
    throw UsageError(fmt::format("{}: {} ranks have been spawned, but the world size is {}", call,
                                 spawned.size, wanted.size));
}

bool DefaultGroup::joined(std::optional<int> rank) const {
  return program_joined_ || (rank && joined_.count(*rank) != 0);
}

void DefaultGroup::leave(std::optional<int> rank) {
  if (rank && program_joined_)
    throw UsageError(fmt::format(
        "destroy_process_group: the program, not rank {}, has called init_process_group", *rank));
  if (!rank) {
    program_joined_ = false;
  } else {
    for (const auto& group : std::vector(groups_)) {
      if (group->ranks().rank_of(*rank) && !group->ended(*rank)) leave(*group, *rank);
    }
    const std::string has = "has destroyed the process group";
    creations_.end(*rank, has);
    world_->end(*rank, has);
    joined_.erase(*rank);
    gone_.insert(*rank);
  }
  if (over()) world_->release_rings();
}

std::string DefaultGroup::others() const {
  std::vector<int> there;
  for (const int rank : world_->members()) {
    if (!left({rank})) there.push_back(rank);
  }
  return text_of_ranks(there);
}

bool DefaultGroup::over() const {
  return !in_use() &&
         (gone_.empty() || gone_.size() == static_cast<std::size_t>(world_->ranks().size));
}

// --- Start and end of ranks

void DefaultGroup::start() {
  joined_.clear();
  gone_.clear();
  world_->start();
  for (const auto& group : std::exchange(groups_, {})) group->close();
  creations_ = CallOrder(world_->members(), "new_group");
}

void DefaultGroup::end(int rank) {
  if (left({rank})) return;
  creations_.end(rank);
  world_->end(rank);
  for (const auto& group : groups_) {
    if (group->ranks().rank_of(rank) && !group->ended(rank)) group->end(rank);
  }
  joined_.erase(rank);
  gone_.insert(rank);
}

// --- new_group

// Ranks in ascending order, as in PyTorch.
std::vector<int> DefaultGroup::checked(std::vector<int> ranks) const {
  if (ranks.empty()) throw UsageError("new_group: no ranks; new_group() has all of them");
  std::sort(ranks.begin(), ranks.end());
  const auto twice = std::adjacent_find(ranks.begin(), ranks.end());
  if (twice != ranks.end())
    throw UsageError(fmt::format("new_group: rank {} twice, of {}", *twice, text_of_ranks(ranks)));
  for (const int rank : {ranks.front(), ranks.back()}) {
    if (rank < 0 || rank >= world_->ranks().size)
      throw UsageError(fmt::format("new_group: rank {}, but there are ranks 0 to {}", rank,
                                   world_->ranks().size - 1));
  }
  return ranks;
}

std::shared_ptr<ProcessGroup> DefaultGroup::new_group(int rank,
                                                      std::optional<std::vector<int>> ranks) {
  const std::vector<int> members =
      ranks ? checked(std::move(*ranks)) : all_of(world_->ranks().size);
  OrderedCall& call = creations_.join(rank, "new_group of " + text_of_ranks(members));
  if (call.made == nullptr) {
    const int number = ++numbers_;
    call.made = std::make_shared<ProcessGroup>(
        shared_, world_->ranks().of(members, fmt::format("group{}/", number)), number);
    groups_.push_back(call.made);
  }
  return call.made;
}

void DefaultGroup::leave(ProcessGroup& group, int rank) {
  group.end(rank, "has destroyed the group");
  if (!group.all_ended()) return;
  const auto entry = std::find_if(groups_.begin(), groups_.end(),
                                  [&](const auto& each) { return each.get() == &group; });
  const std::shared_ptr<ProcessGroup> kept = *entry;
  groups_.erase(entry);
  kept->release_rings();
}

std::string DefaultGroup::unmatched_message() const {
  std::string text = world_->unmatched_message();
  for (const auto& group : groups_) {
    if (text.empty()) text = group->unmatched_message();
  }
  return text;
}

}  // namespace kernbench
