// ShardLayout: which PEs of its SIP hold shards of a tensor, how large these are, and whether
// several hold the same part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/shipped_graphs.h"
#include "sw/tl/ptr.h"

namespace kernbench {

// What several cubes have of a tensor, or several PEs of a cube: each a part of its own, each a
// copy of the same, or each a partial sum of it.
enum class Holding : std::uint8_t { parts, copies, partial_sums };

struct ShardLayout {
  struct Member {
    int cube = 0;
    int pe = 0;
    std::int64_t elements = 0;
    std::uint64_t part = 0;  // those of the same part have the same number
    int summand = 0;         // of that part's partial sums
    friend bool operator==(const Member& a, const Member& b) {
      return a.cube == b.cube && a.pe == b.pe && a.elements == b.elements && a.part == b.part &&
             a.summand == b.summand;
    }
  };
  std::vector<Member> members;  // in (cube, pe) order

  static ShardLayout of(const tl::TensorInfo& tensor);

  std::vector<int> cubes() const;
  std::vector<int> lanes() const;  // the PEs of the first cube
  bool same_lanes() const;         // every cube has these
  bool equal_shards() const;       // all have the same number of elements
  Holding over_cubes() const;
  Holding over_pes() const;
  bool partial() const;  // partial sums over one or the other
  std::optional<graphs::CubeRectangle> rectangle(int cube_mesh_w) const;  // that the cubes fill
  // "16 shards of 8 elements on pe 0 of cubes 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", and behind
  // it ", partial sums over cubes, copies over PEs".
  std::string str() const;

  friend bool operator==(const ShardLayout& a, const ShardLayout& b) {
    return a.members == b.members;
  }
};

}  // namespace kernbench
