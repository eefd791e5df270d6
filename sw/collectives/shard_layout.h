// ShardLayout: PEs of a SIP that hold shards of a tensor, the sizes of these, and whether several
// PEs hold the same part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/shipped_graphs.h"
#include "sw/tl/ptr.h"

namespace kernbench {

// Content of several cubes, or of several PEs of a cube: different parts, copies of one part, or
// partial sums of it.
enum class Holding : std::uint8_t { parts, copies, partial_sums };

struct ShardLayout {
  struct Member {
    int cube = 0;
    int pe = 0;
    std::int64_t elements = 0;
    std::uint64_t part = 0;  // equal for members with the same part
    int summand = 0;         // index of the partial sum
    friend bool operator==(const Member& a, const Member& b) {
      return a.cube == b.cube && a.pe == b.pe && a.elements == b.elements && a.part == b.part &&
             a.summand == b.summand;
    }
  };
  std::vector<Member> members;  // in (cube, pe) order

  static ShardLayout of(const tl::TensorInfo& tensor);

  std::vector<int> cubes() const;
  std::vector<int> lanes() const;  // PEs of the first cube
  bool same_lanes() const;         // every cube has the same lanes
  bool equal_shards() const;       // all have the same number of elements
  Holding over_cubes() const;
  Holding over_pes() const;
  bool partial() const;  // partial sums over cubes or PEs
  std::optional<graphs::CubeRectangle> rectangle(int cube_mesh_w) const;  // filled by the cubes
  // "16 shards of 8 elements on pe 0 of cubes 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", and after it
  // ", partial sums over cubes, copies over PEs".
  std::string str() const;

  friend bool operator==(const ShardLayout& a, const ShardLayout& b) {
    return a.members == b.members;
  }
};

}  // namespace kernbench
