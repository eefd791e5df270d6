#include "platform/observe/timeline_kernels.h"

#include <algorithm>

namespace kernbench {

TimelineKernels::RequestKey TimelineKernels::key_of(const KernelLaunch& launch) {
  return {launch.correlation_id, launch.request_id,
          launch.targets.empty() ? 0 : launch.targets.front().sip};
}

void TimelineKernels::requested(const KernelLaunch& launch, TimelineSlices::Open request) {
  requests_[key_of(launch)] = request;
}

void TimelineKernels::reached(const std::string& path, const TieKey& key,
                              const KernelLaunch& launch, Fs now) {
  Pe& pe = pes_[path];
  if (pe.lanes == nullptr) {
    pe.lanes = std::make_unique<TimelineLanes>(tracks_, path, path + ".pe_cpu kernels",
                                               TimelineRank::kernel);
  }
  under_way_[key] = &pe;
  const auto request = requests_.find(key_of(launch));
  pe.launches.push_back({key, launch.kernel.name, std::max(launch.target_start.value_or(now), now),
                         request == requests_.end() ? 0 : request->second});
  begin_due(pe, now);
}

void TimelineKernels::begin_due(Pe& pe, Fs now) {
  if (pe.launches.empty()) return;
  Launch& launch = pe.launches.front();
  if (launch.begun || launch.start > now) return;
  launch.begun = true;
  const TimelineFlows flows =
      slices_.arrow(launch.request, launch.start, pe.lanes->group(), SliceKind::kernel);
  pe.running = slices_.begin(SliceKind::kernel, *pe.lanes, launch.start, launch.kernel, {}, flows);
}

void TimelineKernels::answered(const TieKey& key, Fs now) {
  const auto found = under_way_.find(key);
  if (found == under_way_.end()) return;
  Pe& pe = *found->second;
  under_way_.erase(found);
  if (pe.launches.empty() || !(pe.launches.front().key == key)) return;
  begin_due(pe, now);
  slices_.end(pe.running, now);
  pe.running = 0;
  pe.launches.pop_front();
  if (pe.launches.empty()) return;
  pe.launches.front().start = std::max(pe.launches.front().start, now);
  begin_due(pe, now);
}

TimelineSlices::Open TimelineKernels::running_on(const std::string& path, Fs now) {
  const auto found = pes_.find(path);
  if (found == pes_.end()) return 0;
  begin_due(found->second, now);
  return found->second.running;
}

void TimelineKernels::close(Fs now) {
  for (auto& [path, pe] : pes_) begin_due(pe, now);
}

}  // namespace kernbench
