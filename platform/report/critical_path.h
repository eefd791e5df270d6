// The critical path of a launch: the chain of operations and waits that makes up its length, from
// its issue by the host to its answer, without gaps.
//
// It is walked backwards from the answer of the PE that answered last. Where a kernel's thread was
// blocked, the walk goes on with what it waited for: the command, the message, the credit. Before
// an operation it goes on with what ended last of: the previous stage of the tile, the dispatch of
// the command, the operation before on the same engine, the one before in the compute slot; and if
// that ended earlier than the operation began, with what ended at that very instant on the PE and
// so gave back a buffer, registers or a channel. Of what ended at one instant the first in this
// order. What nothing that is logged explains is a wait with the name of what it may have waited
// for.
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
  std::string after;                // what it began after: "its previous stage"; empty: not told
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
  std::vector<PathStep> steps;  // by time; each begins where the one before ended

  // The largest first, ties by name.
  std::vector<PathResource> resources() const;
  Table steps_table() const;
  // With the least time that the launch would take if the resource took none: other chains may then
  // be longer than the rest of this one.
  Table resources_table() const;
  // By device: "sip3", "sip5 > sip3" of messages between them, "host > sip0".
  Table devices_table() const;
  bool has_several_devices() const;
  std::string text(std::size_t most) const;  // `most`: lines of steps
  nlohmann::ordered_json json() const;
};

// `logs` is closed. `transfers`, by end: an operation of a DMA that ends with one of them, and a
// message, is a step for each of its hops, "router_mesh link" at the link, a wait where the hop is
// a stall. Null: the operation, or message, is one step.
CriticalPath critical_path(PeLogs& logs, const LaunchRow& launch,
                           const std::vector<TransferHops>* transfers = nullptr);
// UsageError, which names `source`, without launches or without that one. The longest: of equal
// ones the first.
const LaunchRow& longest_of(const std::vector<LaunchRow>& launches, const std::string& source);
const LaunchRow& launch_of(const std::vector<LaunchRow>& launches, std::uint64_t id,
                           const std::string& source);

}  // namespace kernbench
