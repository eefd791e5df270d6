// Launches: kernel name and target PEs, and the handle of a launch that is in flight, or that other
// ranks have still to join.
#pragma once

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/data/vector_clock.h"
#include "sw/runtime/host_link.h"
#include "sw/tl/kernel.h"

namespace kernbench {

struct OrderedLaunch;  // models/data/race_detector.h

// Metadata of a launch from its program; keys are not empty. Stored in its record, without effect
// on the run. The table by operator (docs/models.md) reads `op`: name of the operator; `tokens`:
// tokens that a step of the model has completed with this launch; `communication`: name of a
// collective.
using LaunchMeta = std::map<std::string, std::string>;

// torch.launch("gemm", kernel, ...) starts on every PE of every cube that owns a shard of a tensor
// argument (spec 4.1); torch.launch(LaunchSpec("gemm").on_pe(0), kernel, ...) only on PE 0 of each
// such cube.
class LaunchSpec {
 public:
  LaunchSpec(std::string name) : name_(std::move(name)) {}  // NOLINT(google-explicit-constructor)
  LaunchSpec(const char* name) : name_(name) {}             // NOLINT(google-explicit-constructor)
  LaunchSpec& on_pe(int pe) { return on_pes({pe}); }
  LaunchSpec& on_pes(std::vector<int> pes) { return target_pes_ = std::move(pes), *this; }
  LaunchSpec& failure_policy(FailurePolicy policy) { return failure_policy_ = policy, *this; }
  // A kernel of `code_bytes`, written to each device before its first launch there (spec 4.1).
  // Default: built in, without a write.
  LaunchSpec& deployed(std::uint64_t code_bytes);
  // Launches of one group fail together, like the parts of a launch on several SIPs.
  LaunchSpec& group(std::uint64_t group) { return group_ = group, *this; }
  // Launches of a stream run sequentially on each PE, concurrently with those of other streams. 0:
  // the compute stream.
  LaunchSpec& stream(std::uint32_t stream) { return stream_ = stream, *this; }
  LaunchSpec& meta(LaunchMeta meta);  // UsageError: `tokens` is no whole number above 0

  const std::string& name() const { return name_; }
  const std::optional<std::vector<int>>& target_pes() const { return target_pes_; }
  FailurePolicy failure_policy() const { return failure_policy_; }
  const std::optional<std::uint64_t>& code_bytes() const { return code_bytes_; }
  std::uint64_t group() const { return group_; }  // 0: none
  std::uint32_t stream() const { return stream_; }
  const LaunchMeta& meta() const { return meta_; }

  // PEs to start, by SIP, each list sorted. UsageError: no tensor argument, or an unknown target
  // PE.
  std::map<int, std::vector<PeId>> targets(const std::vector<KernelArgument>& args,
                                           int pes_per_cube) const;

 private:
  std::string name_;
  std::optional<std::vector<int>> target_pes_;
  FailurePolicy failure_policy_ = FailurePolicy::fail_fast;
  std::optional<std::uint64_t> code_bytes_;
  std::uint64_t group_ = 0;
  std::uint32_t stream_ = 0;
  LaunchMeta meta_;
};

// Metrics of spec 4.3, merged by max over the PEs, and per PE; over all SIPs of the launch.
struct LaunchMetrics {
  KernelMetrics merged;
  MetricsOfPes per_pe;
  Fs issued = 0, ended = 0;  // times at the host
};

class LaunchHandle {
 public:
  LaunchHandle() = default;
  const std::string& name() const;
  // If true, later actions of the calling thread are ordered after the launch.
  bool done() const;
  // Both throw UsageError before the launch has been waited for.
  const LaunchMetrics& metrics() const;
  bool waited_for() const { return state().metrics.has_value(); }
  const Completion& completion() const;  // that of the first SIP with its own failure

 private:
  friend class Worker;
  struct State {
    std::string name;
    LaunchMeta meta;
    HostRequests requests;                                // one per SIP
    std::vector<std::string> request_ids;                 // ids of `requests`
    std::vector<std::shared_ptr<const void>> keeps;       // keeps tensors of the kernels alive
    std::vector<std::shared_ptr<OrderedLaunch>> ordered;  // one per SIP, if races are detected
    std::optional<LaunchMetrics> metrics;
    Completion completion;
    std::uint32_t stream = 0;
    bool begun = false;
    bool found_done = false;  // the program has seen the end
    sc_core::sc_event begins{""};
    std::exception_ptr refused;  // error of a launch that never began
    // Set until it has begun.
    std::string awaits;
    const void* group = nullptr;  // process group of the collective; null: a message
    bool writes = true;
    std::vector<std::string> follows;  // request ids of the launches before it
    std::vector<std::shared_ptr<const OrderedLaunch>> follows_ordered;
    VectorClock called;  // for race detection

    bool uses(const void* tensor) const;
    bool ended() const;
  };
  const State& state() const;
  std::shared_ptr<State> state_;
};

}  // namespace kernbench
