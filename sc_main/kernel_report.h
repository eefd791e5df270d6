// Kernels and composites in the report of a run: one line per kernel, or per launch, and how far
// each is from the bound of its roofline (spec 11.3).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/observe/kernel_work.h"
#include "sw/runtime/launch.h"
#include "sw/runtime/runtime.h"

namespace kernbench {

// A launch.
struct KernelReport {
  std::string kernel;
  std::string devices;   // "sip0"
  LaunchMeta meta;       // of the program
  KernelMetrics merged;  // by max over the PEs
  MetricsOfPes per_pe;
  std::map<PeId, Fs> start;          // of the kernel; of PEs that report it
  std::optional<Roofline> roofline;  // of all its PEs; none: one does not report it
  std::map<std::string, CompositeTimes> composites;
};

// SIPs of a launch: "sip0,sip2".
std::string devices_of(const LaunchMetrics& metrics);

// Launches of one kernel.
struct KernelGroup {
  std::string kernel;
  std::size_t launches = 0, pes = 0;               // different PEs
  Fs shortest = never_fs, longest = 0, total = 0;  // pe_exec of the launches
  Fs dma = 0, compute = 0;                         // sums
  std::string slowest;                             // PE with the longest pe_exec
  std::size_t rated = 0;                           // launches with a roofline
  Roofline roofline;                               // of these together
  std::map<std::string, CompositeTimes> composites;
};

// Tables, each behind an empty line; nothing without groups. One line per launch if `launches` are
// given, else one per group.
std::string kernels_text(const std::vector<KernelGroup>& groups,
                         const std::vector<KernelReport>* launches);
nlohmann::ordered_json kernels_json(const std::vector<KernelReport>& kernels);  // per launch
nlohmann::ordered_json kernel_groups_json(const std::vector<KernelGroup>& groups);

}  // namespace kernbench
