#include "sw/collectives/ring_schedules.h"

#include <algorithm>

namespace kernbench::schedules {
namespace {

int wrapped(int position, int count) { return (position % count + count) % count; }

}  // namespace

Schedule ring_reduce_scatter(int position, int count) {
  Schedule schedule;
  for (int round = 0; round + 1 < count; ++round) {
    schedule.push_back({send(ring_next, wrapped(position - round - 1, count)),
                        reduce(ring_previous, wrapped(position - round - 2, count))});
  }
  if (schedule.empty()) schedule.emplace_back();
  schedule.back().push_back(finish(position));
  return schedule;
}

Schedule ring_all_gather(int position, int count) {
  Schedule schedule;
  for (int round = 0; round + 1 < count; ++round) {
    schedule.push_back({send(ring_next, wrapped(position - round, count)),
                        receive(ring_previous, wrapped(position - round - 1, count))});
  }
  return schedule;
}

Schedule ring_all_reduce(int position, int count) {
  Schedule schedule = ring_reduce_scatter(position, count);
  append(schedule, ring_all_gather(position, count));
  return schedule;
}

Schedule ring_broadcast(int position, int count, int root) {
  const int distance = wrapped(position - root, count);
  Phase phase;
  if (distance > 0) phase.push_back(receive(ring_previous));
  if (distance + 1 < count) phase.push_back(send(ring_next));
  return {phase};
}

Schedule ring_reduce(int position, int count, int root) {
  const int distance = wrapped(position - root, count);
  Phase phase;
  if (count > 1 && distance != 1) phase.push_back(reduce(ring_previous));
  phase.push_back(distance == 0 ? finish() : send(ring_next));
  return {phase};
}

Schedule ring_gather(int position, int count, int root) {
  const int distance = wrapped(position - root, count);
  const bool is_root = distance == 0;
  Schedule schedule;
  if (!is_root) schedule.push_back({send(ring_next, position)});
  for (int behind = 1; behind < (is_root ? count : distance); ++behind) {
    const int block = wrapped(position - behind, count);
    schedule.push_back({receive(ring_previous, block)});
    if (!is_root) schedule.back().push_back(send(ring_next, block));
  }
  return schedule;
}

Schedule ring_scatter(int position, int count, int root) {
  const int distance = wrapped(position - root, count);
  Schedule schedule;
  for (int target = count - 1; target >= std::max(1, distance); --target) {
    Phase phase;
    if (distance > 0) phase.push_back(receive(ring_previous, wrapped(root + target, count)));
    if (target > distance) phase.push_back(send(ring_next, wrapped(root + target, count)));
    schedule.push_back(std::move(phase));
  }
  return schedule;
}

Schedule ring_all_to_all(int position, int count) {
  const auto block = [count](int source, int distance) {
    return wrapped(source, count) * count + wrapped(source + distance, count);
  };
  Schedule schedule;
  for (int round = 1; round < count; ++round) {
    Phase phase;
    for (int distance = round; distance < count; ++distance)
      phase.push_back(send(ring_next, block(position - round + 1, distance)));
    for (int distance = round; distance < count; ++distance)
      phase.push_back(receive(ring_previous, block(position - round, distance)));
    schedule.push_back(std::move(phase));
  }
  return schedule;
}

}  // namespace kernbench::schedules
