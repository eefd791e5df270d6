// DPPolicy: placement of the parts of a tensor within one SIP (spec 7, ADR-0026): first over cubes,
// then over the PEs of each cube.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "sw/tl/ptr.h"

namespace kernbench {

// Cut of a tensor into parts: no cut (a copy for each, or a partial sum for each, whose sum is the
// tensor's value), along one axis, or along two. Negative axes count from the last: row_wise is
// cut(0), column_wise cut(-1). Tiled: over the grid of parts that is closest to a square (never
// taller than wide), numbered down its columns or along its rows.
class Placement {
 public:
  static const Placement replicate, partial, row_wise, column_wise, tiled_column_major,
      tiled_row_major;
  static constexpr Placement cut(int axis) { return {Kind::cut, axis, axis}; }
  // `row_axis` is cut into the rows of the grid, `column_axis` into its columns.
  static constexpr Placement tiled_by_columns(int row_axis, int column_axis) {
    return {Kind::tiled_column_major, row_axis, column_axis};
  }
  static constexpr Placement tiled_by_rows(int row_axis, int column_axis) {
    return {Kind::tiled_row_major, row_axis, column_axis};
  }

  bool replicates() const { return kind_ == Kind::replicate; }
  bool sums() const { return kind_ == Kind::partial; }
  bool cuts() const { return !replicates() && !sums(); }
  bool tiles() const { return kind_ == Kind::tiled_column_major || kind_ == Kind::tiled_row_major; }
  bool numbers_down_columns() const { return kind_ == Kind::tiled_column_major; }
  // Negative values count from the last axis. For a cut along one axis both are that axis.
  int row_axis() const { return row_axis_; }
  int column_axis() const { return column_axis_; }
  std::string str() const;  // "row_wise", "cut(1)", "tiled_by_rows(0, 2)"

  friend constexpr bool operator==(const Placement& a, const Placement& b) {
    return a.kind_ == b.kind_ && a.row_axis_ == b.row_axis_ && a.column_axis_ == b.column_axis_;
  }
  friend constexpr bool operator!=(const Placement& a, const Placement& b) { return !(a == b); }

 private:
  enum class Kind : std::uint8_t { replicate, partial, cut, tiled_column_major, tiled_row_major };
  constexpr Placement(Kind kind, int row_axis, int column_axis)
      : kind_(kind), row_axis_(row_axis), column_axis_(column_axis) {}

  Kind kind_;
  int row_axis_, column_axis_;
};
inline constexpr Placement Placement::replicate{Kind::replicate, 0, 0};
inline constexpr Placement Placement::partial{Kind::partial, 0, 0};
inline constexpr Placement Placement::row_wise{Kind::cut, 0, 0};
inline constexpr Placement Placement::column_wise{Kind::cut, -1, -1};
inline constexpr Placement Placement::tiled_column_major{Kind::tiled_column_major, 0, -1};
inline constexpr Placement Placement::tiled_row_major{Kind::tiled_row_major, 0, -1};

// Inverse of str(), without the blank: "cut(1)". UsageError.
Placement parse_placement(const std::string& text);

struct DPPolicy {
  Placement cube = Placement::replicate;
  Placement pe = Placement::replicate;
  std::optional<int> num_cubes;  // default: all of the SIP
  std::optional<int> num_pes;    // default: all of a cube

  static DPPolicy on_one_pe() { return {Placement::replicate, Placement::replicate, 1, 1}; }

  std::string str() const;  // "DPPolicy{replicate, row_wise, 1, 8}"
  // Policy with copies instead of partial sums.
  DPPolicy summed() const;
};

// PEs that have mappings of a shard.
enum class Reach : std::uint8_t {
  own_pe,     // copies or partial sums for cubes and PEs
  same_pe,    // cut over cubes, copies or partial sums for PEs: PEs of the same number
  own_cube,   // a copy or partial sum for each cube, cut over its PEs
  whole_sip,  // cut over cubes and PEs
};
Reach reach_of(const DPPolicy& policy);

// The blocks of a tensor, in (cube, pe) order, with offsets and summands but without addresses.
// Partial sums share one offset, as copies do. Uneven splits: the first parts have one additional
// element. UsageError if an axis has fewer elements than parts, the SIP has fewer cubes or PEs than
// the policy, or the tensor lacks the axis.
std::vector<tl::Block> place(const std::string& tensor, const Shape& shape, DType dtype,
                             const DPPolicy& policy, int sip, int cubes, int pes);

}  // namespace kernbench
