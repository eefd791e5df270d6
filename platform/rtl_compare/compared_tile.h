// Tiles of a comparison: extents of products {m, k} x {k, n}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "models/timing/engine_rules.h"

namespace kernbench {

struct ComparedTile {
  std::int64_t m = 1, k = 1, n = 1;
  std::string str() const;  // "32x64x32": m, k, n
  // True if no rows or columns of the array are idle.
  bool full(const MacArray& array) const;
};

// "32x64x32" (MxKxN). Throws UsageError that names the text.
ComparedTile parse_tile(const std::string& text);

// Scratch of a kernel in its TCM, which holds the operands and the product of one tile.
struct TileRoom {
  static constexpr std::uint64_t alignment = 16;

  std::uint64_t bytes = UINT64_MAX;
  DType dtype = DType::i8;  // dtype of the operands

  std::uint64_t bytes_of(const ComparedTile& tile) const;
  bool holds(const ComparedTile& tile) const { return bytes_of(tile) <= bytes; }
};
// Throws UsageError that names the first tile without room.
void check_tiles(const std::vector<ComparedTile>& tiles, const TileRoom& room);

// Tiles that characterise an array: one and several full folds, edges one short and one beyond, one
// element, k of 1, a long k, a tall and a wide output; each once. The largest extent of a tile is
// halved until the tile fits.
std::vector<ComparedTile> telling_tiles(const MacArray& array, const TileRoom& room = {});
// Output extents up to three times those of the array, k up to 256; halved in the same way.
std::vector<ComparedTile> random_tiles(std::size_t count, std::uint64_t seed, const MacArray& array,
                                       const TileRoom& room = {});

}  // namespace kernbench
