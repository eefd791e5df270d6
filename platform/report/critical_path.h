// Critical path of a launch: the chain of operations and stalls that determines its length, without
// gaps, from its issue by the host to its response.
//
// The path is traced backwards from the response of the PE that responded last. Where a kernel's
// thread was blocked, the trace continues with the awaited command, message or credit. Before an
// operation it continues with the latest to end of: the previous stage of the tile, the dispatch of
// the command, the previous operation on the same engine, the previous one in the compute slot. If
// that ended before the operation began, the trace continues with an operation that ended at the
// start time on the PE and so released a buffer, registers or a channel. Ties are resolved in this
// order. A gap without a logged cause is a wait, named after the possible resource.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/output/table.h"
#include "platform/report/pe_log.h"
#include "platform/report/transfer_sums.h"

namespace kernbench {

struct PathStep {
  enum class Kind : std::uint8_t { operation, wait };
  Fs start = 0, end = 0;
  Kind kind = Kind::operation;
  std::string resource;             // "pe_dma dma_read", "message in flight", "host program"
  std::string where;                // node, PE, "sip0.cube0.pe0 > sip1.cube0.pe0", "host"
  std::string what;                 // "tile/DMA_READ of command 2, tile 0"
  std::string after;                // predecessor: "its previous stage"; empty: unknown
  std::optional<std::uint64_t> op;  // id in the log
  Fs time() const { return end - start; }
};

struct PathResource {
  std::string resource;
  PathStep::Kind kind = PathStep::Kind::operation;
  std::uint64_t steps = 0;
  Fs time = 0;
};

struct CriticalPath {
  LaunchRow launch;
  std::vector<PathStep> steps;  // by time; each begins where the previous one ended

  // Largest first, ties by name.
  std::vector<PathResource> resources() const;
  Table steps_table() const;
  // Includes the minimum time of the launch if the resource took no time: other chains may then be
  // longer than the rest of this one.
  Table resources_table() const;
  // Time by device: "sip3", "sip5 > sip3" for messages between them, "host > sip0".
  Table devices_table() const;
  bool has_several_devices() const;
  std::string text(std::size_t most) const;  // `most`: lines of steps
  nlohmann::ordered_json json() const;
};

// `logs` is closed. `transfers`, by end: an operation of a DMA that ends with one of them, and a
// message, is split into one step per hop, "router_mesh link" at the link, a wait where the hop is
// a stall. Null: the operation, or message, is one step.
CriticalPath critical_path(PeLogs& logs, const LaunchRow& launch,
                           const std::vector<TransferHops>* transfers = nullptr);
// Throws UsageError, which names `source`, if there are no launches or not that one. longest_of():
// the first of equal ones.
const LaunchRow& longest_of(const std::vector<LaunchRow>& launches, const std::string& source);
const LaunchRow& launch_of(const std::vector<LaunchRow>& launches, std::uint64_t id,
                           const std::string& source);

}  // namespace kernbench
