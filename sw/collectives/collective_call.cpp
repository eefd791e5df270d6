#include "sw/collectives/collective_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/errors.h"
#include "sw/collectives/shipped_graphs.h"

namespace kernbench {

const std::vector<std::string>& collective_op_names() {
  static const std::vector<std::string> names{"all_reduce", "broadcast",      "reduce",
                                              "all_gather", "reduce_scatter", "all_to_all",
                                              "gather",     "scatter",        "send_recv"};
  return names;
}

const char* name_of(CollectiveOp op) {
  return collective_op_names().at(static_cast<std::size_t>(op)).c_str();
}

bool is_reduction(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::reduce ||
         op == CollectiveOp::reduce_scatter;
}

bool has_a_part_for_each_rank(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return true;
    default:
      return false;
  }
}

bool has_root(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::broadcast:
    case CollectiveOp::reduce:
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return true;
    default:
      return false;
  }
}

bool works_on_one_tensor(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::broadcast ||
         op == CollectiveOp::reduce;
}

int RankGroup::world_rank(int rank) const {
  return members.empty() ? rank : members.at(static_cast<std::size_t>(rank));
}

std::optional<int> RankGroup::rank_of(int world_rank) const {
  for (int rank = 0; rank < size; ++rank) {
    if (this->world_rank(rank) == world_rank) return rank;
  }
  return std::nullopt;
}

RankGroup RankGroup::of(std::vector<int> some, std::string their_directions) const {
  RankGroup group = *this;
  group.directions = std::move(their_directions);
  group.members = std::move(some);
  group.size = static_cast<int>(group.members.size());
  if (group.size < size) group.grid = {"ring_1d", group.size, group.size, 1};
  return group;
}

PeId RankGroup::place(int rank, int cube, int pe) const {
  rank = world_rank(rank);
  if (unit == RankUnit::sip) return {rank, cube, pe};
  const int per_sip = cubes() * pes;
  return {rank / per_sip, rank % per_sip / pes, rank % pes};
}

std::vector<int> RankGroup::ring() const {
  const auto order = ring_order(grid);
  if (!order) {
    throw UsageError(
        fmt::format("a mesh of {} x {} SIPs without wrap has no closed ring", grid.w, grid.h));
  }
  return *order;
}

std::vector<tl::TensorInfoPtr> CollectiveCall::tensors() const {
  if (!wholes.empty()) return wholes;
  std::vector<tl::TensorInfoPtr> tensors = inputs;
  tensors.insert(tensors.end(), outputs.begin(), outputs.end());
  return tensors;
}

bool CollectiveCall::has_no_elements() const {
  return std::all_of(layout.members.begin(), layout.members.end(),
                     [](const ShardLayout::Member& member) { return member.elements == 0; });
}

std::uint64_t CollectiveCall::nbytes() const {
  return static_cast<std::uint64_t>(tensor().shape.elements()) * size_of(dtype()) *
         static_cast<std::uint64_t>(has_a_part_for_each_rank(op) && !one_tensor_each ? group.size
                                                                                     : 1);
}

ScheduleOptions CollectiveCall::options(std::int64_t contributions) const {
  ScheduleOptions options;
  options.dtype = dtype();
  options.op = reduce_op;
  options.contributions = contributions;
  options.directions = group.directions;
  options.window = static_cast<int>(settings.rings.n_slots);
  options.chunking = settings.chunking;
  options.scratch_bytes = group.scratch_bytes;
  if (works_on_one_tensor(op) && !outputs.empty()) {
    options.input = inputs.front();
    options.output = outputs.front();
  }
  return options;
}

std::vector<int> CollectiveCall::pes() const {
  std::set<int> pes;
  for (const ShardLayout::Member& member : layout.members) pes.insert(member.pe);
  return {pes.begin(), pes.end()};
}

// Copies of a section: as loaded, as combined, as received, and as sent. Each message has its own
// 16-byte aligned block in each copy. In addition, room for receives that are announced ahead,
// twice the number of ring slots.
std::uint64_t CollectiveCall::scratch_bytes() const {
  std::uint64_t largest = 0;
  const std::int64_t most_rows = rows.empty() ? 1 : *std::max_element(rows.begin(), rows.end());
  for (const ShardLayout::Member& member : layout.members)
    largest = std::max(largest,
                       static_cast<std::uint64_t>(member.elements * most_rows) * size_of(dtype()));
  const bool one_tensor = op == CollectiveOp::all_reduce || op == CollectiveOp::broadcast ||
                          op == CollectiveOp::reduce || op == CollectiveOp::send_recv;
  const auto ranks = static_cast<std::uint64_t>(group.size);
  const std::uint64_t blocks = op == CollectiveOp::all_to_all ? ranks * ranks : ranks;
  const std::uint64_t section =
      std::min(group.scratch_bytes / 4, one_tensor ? largest : blocks * largest);
  const std::uint64_t slot = settings.rings.slot_size;
  const std::uint64_t messages = section / slot + blocks + 1;
  const std::uint64_t ahead = 2 * settings.rings.n_slots * (std::min(slot, largest) + 16);
  // A message in slots only passes through; a PE has an incoming and an outgoing one.
  if (op == CollectiveOp::send_recv && settings.chunking)
    return std::min(group.scratch_bytes / 2, 2 * section + 16 * messages + ahead);
  const std::uint64_t copies = op == CollectiveOp::send_recv ? 2 : 4;
  return std::min(group.scratch_bytes, copies * (section + 16 * messages) + ahead);
}

}  // namespace kernbench
