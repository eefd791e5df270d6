#include "sw/collectives/tree_schedules.h"

#include <utility>

namespace kernbench::schedules {

Schedule tree_reduce(const TreePosition& place) {
  Phase phase;
  for (auto direction = place.down.rbegin(); direction != place.down.rend(); ++direction)
    phase.push_back(reduce(*direction));
  if (!place.up.empty()) phase.push_back(send(place.up));
  return {phase};
}

Schedule tree_sum(const TreePosition& place, int blocks) {
  Phase phase;
  for (int block = 0; block < blocks; ++block) {
    for (auto direction = place.down.rbegin(); direction != place.down.rend(); ++direction)
      phase.push_back(add(*direction, block));
    if (!place.up.empty()) phase.push_back(send(place.up, block));
  }
  return {phase};
}

Schedule tree_broadcast(const TreePosition& place, int blocks) {
  Phase phase;
  for (int block = 0; block < blocks; ++block) {
    if (!place.up.empty()) phase.push_back(receive(place.up, block));
    for (const std::string& direction : place.down) phase.push_back(send(direction, block));
  }
  return {phase};
}

Schedule tree_all_reduce(const TreePosition& place) {
  Schedule schedule = tree_reduce(place);
  if (place.up.empty()) schedule.back().push_back(finish());
  append(schedule, tree_broadcast(place));
  return schedule;
}

TreePosition line(int position, int root, int count, const std::string& next,
                  const std::string& previous) {
  TreePosition place;
  if (position != root) place.up = position < root ? next : previous;
  const bool on_the_left = position <= root && position > 0;
  const bool on_the_right = position >= root && position + 1 < count;
  if (on_the_left) place.down.push_back(previous);
  if (on_the_right) place.down.push_back(next);
  if (place.down.size() == 2 && count - 1 - root > root) std::swap(place.down[0], place.down[1]);
  return place;
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
