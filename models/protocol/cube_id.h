// Cube of a machine, by coordinates.
#pragma once

#include <tuple>

namespace kernbench {

struct CubeId {
  int sip = 0;
  int cube = 0;
  friend bool operator<(const CubeId& a, const CubeId& b) {
    return std::tie(a.sip, a.cube) < std::tie(b.sip, b.cube);
  }
  friend bool operator==(const CubeId& a, const CubeId& b) {
    return a.sip == b.sip && a.cube == b.cube;
  }
};

}  // namespace kernbench
