#include "platform/rtl_compare/compared_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <random>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

constexpr std::int64_t longest = 1 << 20;  // limit of an extent

bool equal(const ComparedTile& a, const ComparedTile& b) {
  return a.m == b.m && a.k == b.k && a.n == b.n;
}

ComparedTile cut_to(const TileRoom& room, ComparedTile tile) {
  while (!room.holds(tile) && std::max({tile.m, tile.k, tile.n}) > 1) {
    std::int64_t& largest = tile.m >= tile.k && tile.m >= tile.n ? tile.m
                            : tile.k >= tile.n                   ? tile.k
                                                                 : tile.n;
    largest /= 2;
  }
  return tile;
}

}  // namespace

std::string ComparedTile::str() const { return fmt::format("{}x{}x{}", m, k, n); }

bool ComparedTile::full(const MacArray& array) const {
  return m % static_cast<std::int64_t>(array.rows) == 0 &&
         n % static_cast<std::int64_t>(array.columns) == 0;
}

ComparedTile parse_tile(const std::string& text) {
  std::array<std::int64_t, 3> extents{};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = true;
  for (std::size_t i = 0; i < extents.size() && good; ++i) {
    if (i > 0) good = at != end && *at++ == 'x';
    if (!good) break;
    const auto [behind, error] = std::from_chars(at, end, extents[i]);
    good = error == std::errc() && extents[i] >= 1 && extents[i] <= longest;
    at = behind;
  }
  if (!good || at != end)
    throw UsageError(fmt::format("--shapes: {} is not MxKxN, e.g. 32x64x32, each from 1 to {}",
                                 quote(text), longest));
  return {extents[0], extents[1], extents[2]};
}

std::uint64_t TileRoom::bytes_of(const ComparedTile& tile) const {
  const auto aligned = [](std::uint64_t nbytes) {
    return (nbytes + alignment - 1) / alignment * alignment;
  };
  const auto m = static_cast<std::uint64_t>(tile.m), k = static_cast<std::uint64_t>(tile.k),
             n = static_cast<std::uint64_t>(tile.n);
  return aligned(m * k * size_of(dtype)) + aligned(k * n * size_of(dtype)) + m * n * 4;
}

void check_tiles(const std::vector<ComparedTile>& tiles, const TileRoom& room) {
  for (const ComparedTile& tile : tiles) {
    if (room.holds(tile)) continue;
    throw UsageError(
        fmt::format("--shapes: found {}, whose operands and product take {} bytes; allowed are at "
                    "most {}, the scratch in the TCM of a PE (scratch_bytes of its pe_cpu)",
                    tile.str(), room.bytes_of(tile), room.bytes));
  }
}

std::vector<ComparedTile> telling_tiles(const MacArray& array, const TileRoom& room) {
  const auto r = static_cast<std::int64_t>(array.rows),
             c = static_cast<std::int64_t>(array.columns);
  const auto least = [](std::int64_t extent) { return extent < 1 ? 1 : extent; };
  const std::vector<ComparedTile> all{{r, 1, c},
                                      {r, 8, c},
                                      {r, 64, c},
                                      {r, 256, c},
                                      {r, 1024, c},
                                      {2 * r, 64, 2 * c},
                                      {4 * r, 64, 4 * c},
                                      {least(r - 1), 64, c},
                                      {r, 64, least(c - 1)},
                                      {r + 1, 64, c},
                                      {r, 64, c + 1},
                                      {r + 1, 33, c + 1},
                                      {1, 1, 1},
                                      {1, 64, 1},
                                      {1, 256, c},
                                      {r, 256, 1},
                                      {8 * r, 16, c},
                                      {r, 16, 8 * c},
                                      {8 * r, 7, 1},
                                      {1, 7, 8 * c},
                                      {least(2 * r - 3), 97, c + 5}};
  std::vector<ComparedTile> tiles;
  for (const ComparedTile& each : all) {
    const ComparedTile tile = cut_to(room, each);
    const auto is_this = [&tile](const ComparedTile& other) { return equal(other, tile); };
    if (std::none_of(tiles.begin(), tiles.end(), is_this)) tiles.push_back(tile);
  }
  return tiles;
}

std::vector<ComparedTile> random_tiles(std::size_t count, std::uint64_t seed, const MacArray& array,
                                       const TileRoom& room) {
  std::mt19937_64 random(seed);
  const auto up_to = [&random](std::uint64_t most) {
    return static_cast<std::int64_t>(1 + random() % most);
  };
  std::vector<ComparedTile> tiles;
  for (std::size_t i = 0; i < count; ++i) {
    ComparedTile tile;
    tile.m = up_to(3 * array.rows);
    tile.k = up_to(256);
    tile.n = up_to(3 * array.columns);
    tiles.push_back(cut_to(room, tile));
  }
  return tiles;
}

}  // namespace kernbench
