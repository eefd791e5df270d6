#include "platform/observe/usage_windows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kernbench {

// --- Kernels

KernelWindows::KernelWindows(Platform& platform, const ServerTable& table,
                             const DoubledTimes& doubled)
    : table_(table), doubled_(doubled), starts_(platform.observation().kernel_starts, *this),
      runs_(platform.observation().kernel_runs, *this) {}

void KernelWindows::observe_launches() { most_launches_ = affordable_samples(table_) / 2; }

void KernelWindows::write(const KernelStart& start) {
  const bool is_full = launches_.size() >= most_launches_;
  const bool continues_the_last =
      !launches_.empty() && launches_.back().requests.count(start.request) > 0;
  if (!has_kernels_ && is_full && !continues_the_last) return;
  names_.insert(start.kernel);
  requests_.insert(start.request);
  if (running_++ > 0) return;
  began_ = start.start;
  at_begin_ = table_.sample();
  saved_at_begin_ = doubled_.saved();
}

void KernelWindows::write(const KernelRun& run) {
  if (running_ == 0 || --running_ > 0) return;
  const SparseUse use = table_.used_between(at_begin_, table_.sample());
  if (has_kernels_) add_kernel(use, run.answered);
  add_launch(use, run.answered);
  names_.clear();
  requests_.clear();
}

// A launch whose PEs do not all run at the same time has several parts.
void KernelWindows::add_launch(const SparseUse& use, Fs end) {
  if (!launches_.empty() && launches_.back().requests == requests_) {
    Launch& launch = launches_.back();
    launch.end = end;
    launch.length += end - began_;
    launch.use = sum_of(launch.use, use);
  } else if (launches_.size() < most_launches_) {
    launches_.push_back({requests_, began_, end, end - began_, use});
  }
}

void KernelWindows::add_kernel(const SparseUse& use, Fs end) {
  const std::string name = fmt::format("{}", fmt::join(names_, " + "));
  auto kernel = std::find_if(kernels_.begin(), kernels_.end(),
                             [&name](const Kernel& each) { return each.name == name; });
  if (kernel == kernels_.end()) kernel = kernels_.insert(kernel, {name, {}, {}});
  kernel->window.add(use, began_, end);
  const std::vector<Fs> saved = doubled_.saved();
  kernel->saved.resize(saved.size());
  for (std::size_t id = 0; id < saved.size(); ++id) {
    const Fs before = id < saved_at_begin_.size() ? saved_at_begin_[id] : 0;
    kernel->saved[id] += saved[id] - std::min(saved[id], before);
  }
}

// --- Windows of equal length

// The initial windows together last as long as 512 windows of 64 ns.
UsageOverTime::UsageOverTime(const ServerTable& table)
    : table_(table), most_windows_(affordable_samples(table) / 2 * 2),
      width_(512 / most_windows_ * 64 * fs_per_ns) {}

void UsageOverTime::take() {
  ServerTable::Sample now = table_.sample();
  windows_.push_back(table_.used_between(at_begin_, now));
  at_begin_ = std::move(now);
  if (windows_.size() == most_windows_) double_width();
}

void UsageOverTime::close() {
  take();
  while (!windows_.empty() && windows_.back().empty()) windows_.pop_back();
}

void UsageOverTime::double_width() {
  for (std::size_t i = 0; i < windows_.size() / 2; ++i)
    windows_[i] = sum_of(windows_[2 * i], windows_[2 * i + 1]);
  windows_.resize(windows_.size() / 2);
  width_ *= 2;
}

}  // namespace kernbench
