// Tiles of a comparison: extents of products {m, k} x {k, n}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/timing/engine_rules.h"

namespace kernbench {

struct ComparedTile {
  std::int64_t m = 1, k = 1, n = 1;
  std::string str() const;  // "32x64x32": m, k, n
  // No idle rows or columns of the array.
  bool full(const MacArray& array) const;
};

// "32x64x32" (MxKxN). UsageError that names the text.
ComparedTile parse_tile(const std::string& text);

// What shows how an array behaves: one and several full folds, edges one short and one beyond, one
// element, k of 1, a long k, a tall and a wide output.
std::vector<ComparedTile> telling_tiles(const MacArray& array);
// Extents of output up to three times those of the array, k up to 256.
std::vector<ComparedTile> random_tiles(std::size_t count, std::uint64_t seed,
                                       const MacArray& array);

}  // namespace kernbench
