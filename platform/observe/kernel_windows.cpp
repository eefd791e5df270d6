#include "platform/observe/kernel_windows.h"

#include <algorithm>

namespace kernbench {

KernelWindows::KernelWindows(Platform& platform, const ServerTable& table,
                             const DoubledTimes& doubled)
    : table_(table), doubled_(doubled), running_(platform),
      events_(platform.observation().trace_events, *this),
      runs_(platform.observation().kernel_runs, *this) {}

void KernelWindows::observe_launches() { most_launches_ = affordable_samples(table_) / 2; }

void KernelWindows::write(const TraceEvent& event) {
  if (!has_kernels_ && launches_.size() >= most_launches_) return;
  if (in_kernel_ || event.kind != TraceKind::command_submitted) return;
  in_kernel_ = true;
  began_ = event.time;
  use_ = table_.use();
  saved_ = doubled_.saved();
}

void KernelWindows::write(const KernelRun& run) {
  names_.insert(run.kernel);
  requests_.insert(run.request);
  if (running_.any()) return;
  std::string name;
  for (const std::string& each : std::exchange(names_, {}))
    name += (name.empty() ? "" : " + ") + each;
  std::set<std::string> requests = std::exchange(requests_, {});
  if (!std::exchange(in_kernel_, false)) return;  // no command
  const std::vector<ServerUse> use = table_.use();
  if (launches_.size() < most_launches_)
    launches_.push_back({std::move(requests), began_, run.answered, difference_of(use_, use)});
  if (!has_kernels_) return;
  auto kernel = std::find_if(kernels_.begin(), kernels_.end(),
                             [&name](const Kernel& each) { return each.name == name; });
  if (kernel == kernels_.end()) kernel = kernels_.insert(kernel, {name, {}, {}});
  kernel->window.add(use_, use, began_, run.answered);
  const std::vector<Fs> saved = doubled_.saved();
  kernel->saved.resize(saved.size());
  for (std::size_t id = 0; id < saved.size(); ++id) {
    const Fs before = id < saved_.size() ? saved_[id] : 0;
    kernel->saved[id] += saved[id] - std::min(saved[id], before);
  }
}

}  // namespace kernbench
