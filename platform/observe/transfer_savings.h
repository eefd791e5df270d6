// Time saved with twice as much of a resource (resources.h): by an operation of an engine; by a
// memory transfer alone on the machine, with the arithmetic of zero_load_latency.h.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/component.h"
#include "models/base/executed_op.h"
#include "models/protocol/path.h"
#include "platform/observe/resources.h"
#include "platform/topology/machine_message.h"

namespace kernbench {

// Time that an operation of an engine saves at twice the rate of the engine: by the work per cycle
// of the engines of a PE; 0: unknown, twice the rate halves the time.
struct EngineRates {
  std::uint64_t macs_per_cycle = 0, lanes = 0;

  // Reads the rate of `engine`, a PE_GEMM or PE_MATH. A systolic array has none.
  void take(Role role, const Component& engine);
  // Time saved for `op` by an engine of `role`. Engines work in whole cycles, ceil(work / rate).
  Fs saved(Role role, const ExecutedOp& op) const;
};

using SavedByResource = std::vector<std::pair<ResourceId, Fs>>;

struct TransferSavings {
  Fs latency = 0;  // latency alone on the machine
  Fs payload = 0;  // time of its bytes on the slowest link, or in the memory
  const SavedByResource* saved = nullptr;
  SavedByResource control_back;  // for a returning control message: a credit
};

class TransferSavingsTable {
 public:
  TransferSavingsTable(const Graph& graph, Resources& resources)
      : graph_(graph), transits_(graph), resources_(resources) {}

  // `path` belongs to the request. Its latency is computed once for each path and size; the savings
  // once for all paths over links and nodes of the same resources in the same order.
  const TransferSavings& of(const Path& path, bool write, std::uint64_t bytes);

 private:
  struct Key {
    const Path* path;
    std::uint64_t bytes;
    bool write;
    friend bool operator==(const Key& a, const Key& b) {
      return a.path == b.path && a.bytes == b.bytes && a.write == b.write;
    }
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.path) ^
             (key.bytes * 2 + (key.write ? 1 : 0)) * 0x9e3779b9;
    }
  };
  TransferSavings work_out(const Path& path, bool write, std::uint64_t bytes);

  const Graph& graph_;
  TransitTable transits_;
  Resources& resources_;
  std::unordered_map<Key, TransferSavings, HashKey> known_;  // looked up only
  // By size, direction, and the resources of links and nodes of the round trip.
  std::map<std::vector<std::uint64_t>, SavedByResource> by_shape_;
};

}  // namespace kernbench
