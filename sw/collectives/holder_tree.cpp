#include "sw/collectives/holder_tree.h"

#include <algorithm>

#include "sw/collectives/mesh_schedules.h"

namespace kernbench {
namespace {

using schedules::TreePosition;

constexpr const char *line_of_pes[] = {"intra_E", "intra_W"},
                     *line_of_cubes[] = {"cube_E", "cube_W"}, *ring_of_pes[] = {"E", "W"},
                     *ring_of_cubes[] = {"S", "N"};

void connect_line(NeighbourGraph& graph, const std::vector<PeId>& members,
                  const char* const (&names)[2]) {
  for (std::size_t i = 0; i + 1 < members.size(); ++i)
    graph.connect(members[i], names[0], members[i + 1])
        .connect(members[i + 1], names[1], members[i]);
}

void connect_ring(NeighbourGraph& graph, const std::vector<PeId>& members,
                  const char* const (&names)[2]) {
  const std::size_t count = members.size();
  for (std::size_t i = 0; count > 1 && i < count; ++i)
    graph.connect(members[i], names[0], members[(i + 1) % count])
        .connect(members[i], names[1], members[(i + count - 1) % count]);
}

}  // namespace

int HolderTree::Level::index(int member) const {
  return static_cast<int>(std::lower_bound(members.begin(), members.end(), member) -
                          members.begin());
}

HolderTree::HolderTree(const CollectiveCall& call, Form form, std::optional<int> root_cube)
    : form_(form), mesh_w_(call.group.cube_mesh_w) {
  const ShardLayout& layout = call.layout;
  for (int rank = 0; rank < call.group.size; ++rank)
    sips_.push_back(call.group.place(rank, 0, 0).sip);
  pes_.members = layout.lanes();
  cubes_.members = layout.cubes();
  if (call.group.size > 1 || layout.partial()) {
    pes_.holding = layout.over_pes();
    cubes_.holding = layout.over_cubes();
  }
  pes_.root = pes_.members.front();
  cubes_.root = cubes_.members.front();
  if (form == Form::mesh) {
    rectangle_ = layout.rectangle(mesh_w_);
    pes_.root = pes_.members[pes_.members.size() / 2];
    cubes_.root = root_cube.value_or(rectangle_ ? (rectangle_->y + rectangle_->h / 2) * mesh_w_ +
                                                      rectangle_->x + rectangle_->w / 2
                                                : cubes_.members[cubes_.members.size() / 2]);
  }
  for (const ShardLayout::Member& member : layout.members) {
    if (is_root({0, member.cube, member.pe})) roots_.members.push_back(member);
  }
}

bool HolderTree::is_root(PeId holder) const {
  return pes_.represents(holder.pe) && cubes_.represents(holder.cube);
}

CollectiveCall HolderTree::between_roots(CollectiveCall call) const {
  call.layout = roots_;
  return call;
}

// --- Queue pairs

NeighbourGraph HolderTree::graph() const {
  NeighbourGraph graph;
  std::vector<int> lanes;  // lanes that join cubes
  for (const int pe : pes_.members) {
    if (pes_.represents(pe)) lanes.push_back(pe);
  }
  const bool mesh = form_ == Form::mesh;
  for (const int sip : sips_) {
    for (const int cube : cubes_.members) {
      std::vector<PeId> members;
      for (const int pe : pes_.members) members.push_back({sip, cube, pe});
      if (!pes_.shared()) continue;
      mesh ? connect_line(graph, members, line_of_pes) : connect_ring(graph, members, ring_of_pes);
    }
    if (!cubes_.shared()) continue;
    if (rectangle_) {
      graph.add(graphs::cube_mesh(sip, mesh_w_, *rectangle_, lanes));
      continue;
    }
    for (const int pe : lanes) {
      std::vector<PeId> members;
      for (const int cube : cubes_.members) members.push_back({sip, cube, pe});
      mesh ? connect_line(graph, members, line_of_cubes)
           : connect_ring(graph, members, ring_of_cubes);
    }
  }
  return graph;
}

NeighbourGraph HolderTree::graph(
    const CollectiveCall& call,
    const std::function<NeighbourGraph(const CollectiveCall&)>& between_ranks) const {
  return graph().add(between_ranks(between_roots(call)));
}

// --- Schedules

TreePosition HolderTree::among_pes(int pe) const {
  const int count = static_cast<int>(pes_.members.size());
  return form_ == Form::mesh
             ? schedules::line(pes_.index(pe), pes_.index(pes_.root), count, line_of_pes[0],
                               line_of_pes[1])
             : schedules::folded_ring(pes_.index(pe), count, ring_of_pes[0], ring_of_pes[1]);
}

TreePosition HolderTree::among_cubes(int cube) const {
  const int count = static_cast<int>(cubes_.members.size());
  if (form_ == Form::rings)
    return schedules::folded_ring(cubes_.index(cube), count, ring_of_cubes[0], ring_of_cubes[1]);
  if (!rectangle_)
    return schedules::line(cubes_.index(cube), cubes_.index(cubes_.root), count, line_of_cubes[0],
                           line_of_cubes[1]);
  const auto x = [&](int of) { return of % mesh_w_ - rectangle_->x; };
  const auto y = [&](int of) { return of / mesh_w_ - rectangle_->y; };
  return schedules::mesh_to_root(
      {x(cube), y(cube), rectangle_->w, rectangle_->h, x(cubes_.root), y(cubes_.root)});
}

// PEs of a cube with a copy of the root cube's values add nothing.
TreePosition HolderTree::way_up(PeId holder) const {
  std::vector<TreePosition> places;
  const bool counts = cubes_.holding != Holding::copies || holder.cube == cubes_.root;
  if (pes_.sums() && counts) places.push_back(among_pes(holder.pe));
  if (cubes_.sums() && pes_.represents(holder.pe)) places.push_back(among_cubes(holder.cube));
  return schedules::levels(places);
}

TreePosition HolderTree::way_down(PeId holder) const {
  std::vector<TreePosition> places;
  if (pes_.shared()) places.push_back(among_pes(holder.pe));
  if (cubes_.shared() && pes_.represents(holder.pe)) places.push_back(among_cubes(holder.cube));
  return schedules::levels(places);
}

Schedule HolderTree::sum_up(PeId holder, int blocks) const {
  return schedules::tree_sum(way_up(holder), blocks);
}

Schedule HolderTree::hand_down(PeId holder, int blocks) const {
  return schedules::tree_broadcast(way_down(holder), blocks);
}

Schedule HolderTree::around(PeId holder, const Schedule& exchange, int blocks) const {
  Schedule schedule = sum_up(holder, blocks);
  if (is_root(holder)) schedules::append(schedule, exchange);
  schedules::append(schedule, hand_down(holder, blocks));
  return schedule;
}

Schedule HolderTree::through(PeId holder, const TreePosition& between_ranks) const {
  Schedule schedule = sum_up(holder);
  std::vector<TreePosition> down{way_down(holder)};
  if (is_root(holder)) {
    Phase& phase = schedule.front();
    const Schedule reduce = schedules::tree_reduce(between_ranks);
    phase.insert(phase.end(), reduce.front().begin(), reduce.front().end());
    if (between_ranks.up.empty()) phase.push_back(schedules::finish());
    down.push_back(between_ranks);
  }
  schedules::append(schedule, schedules::tree_broadcast(schedules::levels(down)));
  return schedule;
}

}  // namespace kernbench
