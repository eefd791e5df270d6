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

#include <optional>
#include <string>
#include <vector>

#include "platform/inspect/op_log_reader.h"

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
const char* name_of(PathStep::Kind kind);  // "operation", "wait"

struct CriticalPath {
  LoggedLaunch launch;
  std::vector<PathStep> steps;  // by time; each begins where the one before ended
};
CriticalPath critical_path(const OpLogReader& log, const LoggedLaunch& launch);

// Time of the path by resource, the largest first, ties by name.
struct PathResource {
  std::string resource;
  PathStep::Kind kind = PathStep::Kind::operation;
  std::uint64_t steps = 0;
  Fs time = 0;
};
std::vector<PathResource> resources_of(const CriticalPath& path);

}  // namespace kernbench
