#include "platform/export/timeline_kernels.h"

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
                         request == requests_.end() ? 0 : request->second, launch.stream});
  begin_due(pe, now);
}

bool TimelineKernels::first_of_stream(const Pe& pe, const Launch& launch) {
  for (const Launch& other : pe.launches) {
    if (other.stream == launch.stream) return &other == &launch;
  }
  return false;
}

void TimelineKernels::begin_due(Pe& pe, Fs now) {
  for (Launch& launch : pe.launches) {
    if (launch.begun || launch.start > now || !first_of_stream(pe, launch)) continue;
    launch.begun = true;
    const TimelineFlows flows =
        slices_.arrow(launch.request, launch.start, pe.lanes->group(), SliceKind::kernel);
    launch.slice =
        slices_.begin(SliceKind::kernel, *pe.lanes, launch.start, launch.kernel, {}, flows);
  }
}

void TimelineKernels::answered(const TieKey& key, Fs now) {
  const auto found = under_way_.find(key);
  if (found == under_way_.end()) return;
  Pe& pe = *found->second;
  under_way_.erase(found);
  begin_due(pe, now);
  const auto launch = std::find_if(pe.launches.begin(), pe.launches.end(),
                                   [&key](const Launch& each) { return each.key == key; });
  if (launch == pe.launches.end() || !launch->begun) return;
  slices_.end(launch->slice, now);
  const std::uint32_t stream = launch->stream;
  pe.launches.erase(launch);
  for (Launch& next : pe.launches) {
    if (next.stream == stream) next.start = std::max(next.start, now);
  }
  begin_due(pe, now);
}

TimelineSlices::Open TimelineKernels::running_on(const std::string& path, Fs now) {
  const auto found = pes_.find(path);
  if (found == pes_.end()) return 0;
  Pe& pe = found->second;
  begin_due(pe, now);
  const auto last = std::find_if(pe.launches.rbegin(), pe.launches.rend(),
                                 [](const Launch& launch) { return launch.begun; });
  return last == pe.launches.rend() ? 0 : last->slice;
}

void TimelineKernels::close(Fs now) {
  for (auto& [path, pe] : pes_) begin_due(pe, now);
}

}  // namespace kernbench
