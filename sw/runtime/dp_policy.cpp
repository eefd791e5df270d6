#include "sw/runtime/dp_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

// Box of elements of the whole tensor.
struct Region {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> extents;
};

// Rows and columns of the grid of parts.
struct Grid {
  int rows = 1, columns = 1;
};

// Grid of tiled placements.
Grid nearly_square(int parts) {
  int rows = 1;
  for (int divisor = 1; divisor * divisor <= parts; ++divisor) {
    if (parts % divisor == 0) rows = divisor;
  }
  return {rows, parts / rows};
}

// Part `index` of `parts` of [0, extent): the first extent % parts parts have one additional
// element.
std::pair<std::int64_t, std::int64_t> part_of(std::int64_t extent, int parts, int index) {
  const std::int64_t size = extent / parts, longer = extent % parts;
  return {index * size + std::min<std::int64_t>(index, longer), size + (index < longer ? 1 : 0)};
}

// Tensor cut into `parts` parts over cubes or PEs, for messages.
struct Cut {
  const std::string& tensor;
  const Shape& shape;
  Placement placement;
  int parts;
  const char* over;

  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(fmt::format("tensor '{}' {}: {}", tensor, shape.str(), why));
  }
  // Returns 0 for a scalar, which has no axes.
  std::size_t axis(int asked) const {
    const int rank = static_cast<int>(shape.rank());
    const int axis = asked < 0 ? asked + rank : asked;
    if (axis >= 0 && axis < rank) return static_cast<std::size_t>(axis);
    if (rank == 0 && (asked == 0 || asked == -1)) return 0;
    if (rank == 0) refuse(fmt::format("{} of a tensor without axes", placement.str()));
    refuse(fmt::format("{}: axis {}, allowed: {} to {}", placement.str(), asked, -rank, rank - 1));
  }
  void check(const Region& region, std::size_t axis, int count) const {
    const std::int64_t extent = region.extents.empty() ? 1 : region.extents[axis];
    if (count == 1 || shape.elements() == 0 || (!region.extents.empty() && extent >= count)) return;
    refuse(fmt::format("{} over {} {} cuts axis {} into {} parts, but its extent there is {}",
                       placement.str(), parts, over, axis, count, extent));
  }
};

// Narrows the region to part `index` of `count` along an axis.
void take_part(Region& region, std::size_t axis, int count, int index) {
  if (count == 1) return;
  const auto [start, size] = part_of(region.extents[axis], count, index);
  region.start[axis] += start;
  region.extents[axis] = size;
}

std::vector<Region> split(const Cut& cut, const Region& region) {
  const Placement placement = cut.placement;
  if (!placement.cuts()) return std::vector<Region>(static_cast<std::size_t>(cut.parts), region);
  const Grid grid = placement.tiles() ? nearly_square(cut.parts) : Grid{cut.parts, 1};
  const std::size_t row_axis = cut.axis(placement.row_axis()),
                    column_axis = cut.axis(placement.column_axis());
  cut.check(region, row_axis, grid.rows);
  cut.check(region, column_axis, grid.columns);
  if (row_axis == column_axis && grid.rows > 1 && grid.columns > 1)
    cut.refuse(placement.str() + " needs two axes");
  std::vector<Region> regions;
  for (int i = 0; i < cut.parts; ++i) {
    const bool down = placement.numbers_down_columns();
    Region part = region;
    take_part(part, row_axis, grid.rows, down ? i % grid.rows : i / grid.columns);
    take_part(part, column_axis, grid.columns, down ? i / grid.rows : i % grid.columns);
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

constexpr std::array<std::pair<const char*, Placement>, 6> named_placements{
    {{"replicate", Placement::replicate},
     {"partial", Placement::partial},
     {"row_wise", Placement::row_wise},
     {"column_wise", Placement::column_wise},
     {"tiled_column_major", Placement::tiled_column_major},
     {"tiled_row_major", Placement::tiled_row_major}}};

}  // namespace

std::string Placement::str() const {
  for (const auto& [name, placement] : named_placements) {
    if (placement == *this) return name;
  }
  if (kind_ == Kind::cut) return fmt::format("cut({})", row_axis_);
  return fmt::format("tiled_by_{}({}, {})", numbers_down_columns() ? "columns" : "rows", row_axis_,
                     column_axis_);
}

Placement parse_placement(const std::string& text) {
  for (const auto& [name, placement] : named_placements) {
    if (name == text) return placement;
  }
  int rows = 0, columns = 0, length = 0;
  const auto is = [&](int numbers, int found) {
    return found == numbers && length == static_cast<int>(text.size());
  };
  const char* given = text.c_str();
  if (is(1, std::sscanf(given, "cut(%9d)%n", &rows, &length))) return Placement::cut(rows);
  if (is(2, std::sscanf(given, "tiled_by_rows(%9d,%9d)%n", &rows, &columns, &length)))
    return Placement::tiled_by_rows(rows, columns);
  if (is(2, std::sscanf(given, "tiled_by_columns(%9d,%9d)%n", &rows, &columns, &length)))
    return Placement::tiled_by_columns(rows, columns);
  throw UsageError(
      fmt::format("placement {}, allowed: replicate, partial, row_wise, column_wise, "
                  "tiled_column_major, tiled_row_major, cut(AXIS), tiled_by_rows(AXIS,AXIS), "
                  "tiled_by_columns(AXIS,AXIS)",
                  quote(text)));
}

std::string DPPolicy::str() const {
  const auto number = [](const std::optional<int>& count) {
    return count ? std::to_string(*count) : std::string("all");
  };
  return fmt::format("DPPolicy{{{}, {}, {}, {}}}", cube.str(), pe.str(), number(num_cubes),
                     number(num_pes));
}

DPPolicy DPPolicy::summed() const {
  DPPolicy policy = *this;
  if (cube.sums()) policy.cube = Placement::replicate;
  if (pe.sums()) policy.pe = Placement::replicate;
  return policy;
}

Reach reach_of(const DPPolicy& policy) {
  if (!policy.pe.cuts()) return policy.cube.cuts() ? Reach::same_pe : Reach::own_pe;
  return policy.cube.cuts() ? Reach::whole_sip : Reach::own_cube;
}

std::vector<tl::Block> place(const std::string& tensor, const Shape& shape, DType dtype,
                             const DPPolicy& policy, int sip, int cubes, int pes) {
  const int num_cubes = count_of(tensor, policy.num_cubes, cubes, "cubes"),
            num_pes = count_of(tensor, policy.num_pes, pes, "PEs per cube");
  const Region whole{std::vector<std::int64_t>(shape.rank(), 0), shape.extents()};
  std::vector<tl::Block> blocks;
  std::uint64_t cube_offset = 0;
  const std::vector<Region> of_cubes =
      split({tensor, shape, policy.cube, num_cubes, "cubes"}, whole);
  for (int cube = 0; cube < num_cubes; ++cube) {
    const std::vector<Region> of_pes =
        split({tensor, shape, policy.pe, num_pes, "PEs"}, of_cubes[static_cast<std::size_t>(cube)]);
    std::uint64_t offset = cube_offset;  // copies and partial sums share one offset
    for (int pe = 0; pe < num_pes; ++pe) {
      const Region& region = of_pes[static_cast<std::size_t>(pe)];
      const Shape local(region.extents);
      const std::uint64_t nbytes = static_cast<std::uint64_t>(local.elements()) * size_of(dtype);
      const int summand = (policy.cube.sums() ? cube : 0) * (policy.pe.sums() ? num_pes : 1) +
                          (policy.pe.sums() ? pe : 0);
      blocks.push_back({{sip, cube, pe}, 0, offset, nbytes, local, region.start, summand});
      if (policy.pe.cuts() || pe + 1 == num_pes) offset += nbytes;
    }
    if (policy.cube.cuts()) cube_offset = offset;
  }
  return blocks;
}

}  // namespace kernbench
