// KernelSummary: the launches of a run as its report shows them, gathered while it runs: grouped by
// kernel, and each of them where the report lists launches.
//
// A launch that is not listed costs nothing once it is in its group.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sc_main/kernel_report.h"

namespace kernbench {

class KernelSummary final : public LaunchListener {
 public:
  // `lists_launches`: kernels() has each of them, and launches() what the host program knows.
  KernelSummary(KernelWork& work, bool lists_launches)
      : work_(work), lists_launches_(lists_launches) {}

  void ended(LaunchRecord launch) override;
  void close();  // the run has ended

  const std::vector<KernelReport>& kernels() const { return kernels_; }
  const std::vector<LaunchRecord>& launches() const { return launches_; }
  const std::vector<KernelGroup>& groups() const { return groups_; }  // in order of first launches

 private:
  void take(LaunchRecord& launch);
  void add_to_group(const KernelReport& kernel);

  KernelWork& work_;
  bool lists_launches_;
  std::deque<LaunchRecord> recent_;
  std::vector<LaunchRecord> launches_;
  std::vector<KernelReport> kernels_;
  std::vector<KernelGroup> groups_;
  std::map<std::string, std::size_t> index_;  // of a kernel's group
  std::map<std::string, std::set<PeId>> pes_;
};

}  // namespace kernbench
