// What the latency of a memory transfer alone on the machine would save with twice as much of each
// resource on its way (resources.h), by the arithmetic of zero_load_latency.h.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/protocol/path.h"
#include "platform/observe/resources.h"

namespace kernbench {

using SavedByResource = std::vector<std::pair<ResourceId, Fs>>;

struct TransferSavings {
  Fs latency = 0;  // alone on the machine
  Fs payload = 0;  // time of its bytes on the slowest of the links, or in the memory
  const SavedByResource* saved = nullptr;
  SavedByResource control_back;  // of a control message on the way back: a credit
};

class TransferSavingsTable {
 public:
  TransferSavingsTable(const Graph& graph, Resources& resources)
      : graph_(graph), resources_(resources) {}

  // `path` is the request's. Its latency is worked out once for each path and size, what it saves
  // once for all paths over as many links and nodes of each resource.
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
  Resources& resources_;
  std::unordered_map<Key, TransferSavings, HashKey> known_;  // looked up only
  // By size, direction, and the resources of links and nodes there and back, sorted.
  std::map<std::vector<std::uint64_t>, SavedByResource> by_shape_;
};

}  // namespace kernbench
