#include "sw/collectives/tree_schedules.h"

namespace kernbench::schedules {

Schedule tree_reduce(const TreePosition& place) {
  Phase phase;
  for (auto direction = place.down.rbegin(); direction != place.down.rend(); ++direction)
    phase.push_back(reduce(*direction));
  if (!place.up.empty()) phase.push_back(send(place.up));
  return {phase};
}

Schedule tree_broadcast(const TreePosition& place) {
  Phase phase;
  if (!place.up.empty()) phase.push_back(receive(place.up));
  for (const std::string& direction : place.down) phase.push_back(send(direction));
  return {phase};
}

Schedule tree_all_reduce(const TreePosition& place) {
  Schedule schedule = tree_reduce(place);
  if (place.up.empty()) schedule.back().push_back(finish());
  append(schedule, tree_broadcast(place));
  return schedule;
}

TreePosition binary_tree(int position, int count) {
  TreePosition place;
  if (position > 0) place.up = "parent";
  if (2 * position + 1 < count) place.down.emplace_back("child0");
  if (2 * position + 2 < count) place.down.emplace_back("child1");
  return place;
}

TreePosition folded_ring(int position, int count, const std::string& next,
                         const std::string& previous) {
  const int half = count / 2;
  TreePosition place;
  if (position == 0) {
    if (count > 1) place.down.push_back(next);
    if (count > 2) place.down.push_back(previous);
  } else if (position <= half) {
    place.up = previous;
    if (position < half) place.down.push_back(next);
  } else {
    place.up = next;
    if (position > half + 1) place.down.push_back(previous);
  }
  return place;
}

TreePosition levels(const std::vector<TreePosition>& places) {
  TreePosition whole;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    if (!place->up.empty()) whole.up = place->up;
    whole.down.insert(whole.down.end(), place->down.begin(), place->down.end());
  }
  return whole;
}

}  // namespace kernbench::schedules
