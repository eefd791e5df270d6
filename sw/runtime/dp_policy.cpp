#include "sw/runtime/dp_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/base/errors.h"

namespace kernbench {
namespace {

// A box of elements of the whole tensor.
struct Region {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> extents;
};

// Rows and columns of the grid of parts.
struct Grid {
  int rows = 1, columns = 1;
};

Grid grid_of(Placement placement, int parts) {
  if (placement == Placement::row_wise) return {parts, 1};
  if (placement == Placement::column_wise) return {1, parts};
  int rows = 1;
  for (int divisor = 1; divisor * divisor <= parts; ++divisor) {
    if (parts % divisor == 0) rows = divisor;
  }
  return {rows, parts / rows};
}

// Part `index` of `parts` of [0, extent): the first extent % parts parts have one element more.
std::pair<std::int64_t, std::int64_t> part_of(std::int64_t extent, int parts, int index) {
  const std::int64_t size = extent / parts, longer = extent % parts;
  return {index * size + std::min<std::int64_t>(index, longer), size + (index < longer ? 1 : 0)};
}

std::vector<Region> split(const std::string& tensor, const Shape& shape, const Region& region,
                          Placement placement, int parts, const char* over) {
  if (placement == Placement::replicate)
    return std::vector<Region>(static_cast<std::size_t>(parts), region);
  const std::size_t rank = region.extents.size();
  const Grid grid = grid_of(placement, parts);
  const auto check = [&](std::size_t axis, int count) {
    const std::int64_t extent = rank == 0 ? 1 : region.extents[axis];
    if (count == 1 || (rank > 0 && extent >= count)) return;
    throw UsageError(fmt::format(
        "tensor '{}' {}: {} over {} {} cuts axis {} into {} parts, but its extent there is {}",
        tensor, shape.str(), name_of(placement), parts, over, axis, count, extent));
  };
  const std::size_t last = rank == 0 ? 0 : rank - 1;
  check(0, grid.rows);
  check(last, grid.columns);
  if (last == 0 && grid.rows > 1 && grid.columns > 1) {
    throw UsageError(
        fmt::format("tensor '{}' {}: {} needs two axes", tensor, shape.str(), name_of(placement)));
  }
  std::vector<Region> regions;
  for (int i = 0; i < parts; ++i) {
    const bool down_columns = placement == Placement::tiled_column_major;
    const int row = down_columns ? i % grid.rows : i / grid.columns,
              column = down_columns ? i / grid.rows : i % grid.columns;
    Region part = region;
    const auto cut = [&](std::size_t axis, int count, int index) {
      if (count == 1) return;
      const auto [start, size] = part_of(region.extents[axis], count, index);
      part.start[axis] = region.start[axis] + start;
      part.extents[axis] = size;
    };
    cut(0, grid.rows, row);
    cut(last, grid.columns, column);
    regions.push_back(std::move(part));
  }
  return regions;
}

int count_of(const std::string& tensor, const std::optional<int>& asked, int present,
             const char* what) {
  const int count = asked.value_or(present);
  if (count >= 1 && count <= present) return count;
  throw UsageError(fmt::format("tensor '{}': policy names {} {}, allowed: 1 to {}", tensor, count,
                               what, present));
}

}  // namespace

const char* name_of(Placement placement) {
  static constexpr std::array<const char*, 5> names{"replicate", "column_wise", "row_wise",
                                                    "tiled_column_major", "tiled_row_major"};
  return names.at(static_cast<std::size_t>(placement));
}

std::vector<tl::Block> place(const std::string& tensor, const Shape& shape, DType dtype,
                             const DPPolicy& policy, int sip, int cubes, int pes) {
  const int num_cubes = count_of(tensor, policy.num_cubes, cubes, "cubes"),
            num_pes = count_of(tensor, policy.num_pes, pes, "PEs per cube");
  const Region whole{std::vector<std::int64_t>(shape.rank(), 0), shape.extents()};
  std::vector<tl::Block> blocks;
  std::uint64_t cube_offset = 0;
  const std::vector<Region> of_cubes = split(tensor, shape, whole, policy.cube, num_cubes, "cubes");
  for (int cube = 0; cube < num_cubes; ++cube) {
    const std::vector<Region> of_pes =
        split(tensor, shape, of_cubes[static_cast<std::size_t>(cube)], policy.pe, num_pes, "PEs");
    std::uint64_t offset = cube_offset;  // replicas share one offset
    for (int pe = 0; pe < num_pes; ++pe) {
      const Region& region = of_pes[static_cast<std::size_t>(pe)];
      const Shape local(region.extents);
      const std::uint64_t nbytes = static_cast<std::uint64_t>(local.elements()) * size_of(dtype);
      blocks.push_back({{sip, cube, pe}, 0, offset, nbytes, local, region.start});
      if (policy.pe != Placement::replicate || pe + 1 == num_pes) offset += nbytes;
    }
    if (policy.cube != Placement::replicate) cube_offset = offset;
  }
  return blocks;
}

}  // namespace kernbench
