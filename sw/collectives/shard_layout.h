// ShardLayout: which PEs of its SIP hold shards of a tensor, and how large these are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/shipped_graphs.h"
#include "sw/tl/ptr.h"

namespace kernbench {

struct ShardLayout {
  struct Member {
    int cube = 0;
    int pe = 0;
    std::int64_t elements = 0;
    friend bool operator==(const Member& a, const Member& b) {
      return a.cube == b.cube && a.pe == b.pe && a.elements == b.elements;
    }
  };
  std::vector<Member> members;  // in (cube, pe) order

  static ShardLayout of(const tl::TensorInfo& tensor);

  std::vector<int> cubes() const;
  std::vector<int> lanes() const;  // the PEs of the first cube
  bool same_lanes() const;         // every cube has these
  bool equal_shards() const;       // all have the same number of elements
  std::optional<graphs::CubeRectangle> rectangle(int cube_mesh_w) const;  // that the cubes fill
  std::string str()
      const;  // "16 shards of 8 elements on pe 0 of cubes 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"

  friend bool operator==(const ShardLayout& a, const ShardLayout& b) {
    return a.members == b.members;
  }
};

}  // namespace kernbench
