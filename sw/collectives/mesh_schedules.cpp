#include "sw/collectives/mesh_schedules.h"

namespace kernbench::schedules {
namespace {

Schedule rounds(int count, const char* to, const char* from) {
  Schedule schedule;
  for (int round = 0; round + 1 < count; ++round) {
    schedule.push_back({round == 0 ? send(to) : pass_on(to), reduce(from)});
  }
  return schedule;
}

// Reduces to coordinate 0 and broadcasts back. `up` points away from 0.
Schedule chain(int at, int length, const char* up, const char* down) {
  TreePosition place;
  if (at > 0) place.up = down;
  if (at + 1 < length) place.down.emplace_back(up);
  Schedule schedule = tree_reduce(place);
  append(schedule, tree_broadcast(place));
  return schedule;
}

}  // namespace

TreePosition mesh_to_root(const CubePosition& place) {
  TreePosition tree;
  const bool on_column = place.x == place.root_x;
  if (!on_column) {
    tree.up = place.x < place.root_x ? "E" : "W";
  } else if (place.y != place.root_y) {
    tree.up = place.y < place.root_y ? "S" : "N";
  }
  if (on_column && place.y <= place.root_y && place.y > 0) tree.down.emplace_back("N");
  if (on_column && place.y >= place.root_y && place.y + 1 < place.h) tree.down.emplace_back("S");
  if (place.x <= place.root_x && place.x > 0) tree.down.emplace_back("W");
  if (place.x >= place.root_x && place.x + 1 < place.w) tree.down.emplace_back("E");
  return tree;
}

Schedule sip_exchange(const graphs::SipGrid& grid, int rank) {
  if (grid.topology == "ring_1d") return rounds(grid.sips, "global_E", "global_W");
  Schedule schedule;
  if (grid.topology == "torus_2d") {
    append(schedule, rounds(grid.w, "global_E", "global_W"));
    append(schedule, rounds(grid.h, "global_S", "global_N"));
  } else {
    append(schedule, chain(rank % grid.w, grid.w, "global_E", "global_W"));
    append(schedule, chain(rank / grid.w, grid.h, "global_S", "global_N"));
  }
  return schedule;
}

}  // namespace kernbench::schedules
