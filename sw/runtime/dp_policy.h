// DPPolicy: where the parts of a tensor lie within one SIP (spec 7, ADR-0026): first over cubes,
// then over the PEs of each cube.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "sw/tl/ptr.h"

namespace kernbench {

// row_wise cuts axis 0, column_wise the last axis. Tiled: both, over the most nearly square grid
// (never taller than wide), whose tiles are numbered down columns or along rows.
enum class Placement : std::uint8_t {
  replicate,
  column_wise,
  row_wise,
  tiled_column_major,
  tiled_row_major
};
const char* name_of(Placement placement);

struct DPPolicy {
  Placement cube = Placement::replicate;
  Placement pe = Placement::replicate;
  std::optional<int> num_cubes;  // default: all of the SIP
  std::optional<int> num_pes;    // default: all of a cube

  static DPPolicy on_one_pe() { return {Placement::replicate, Placement::replicate, 1, 1}; }
};

// The blocks of a tensor, in (cube, pe) order, with offsets but without addresses. Uneven splits:
// the first parts have one more. UsageError if an axis has fewer elements than parts, or the SIP
// fewer cubes or PEs than the policy names.
std::vector<tl::Block> place(const std::string& tensor, const Shape& shape, DType dtype,
                             const DPPolicy& policy, int sip, int cubes, int pes);

}  // namespace kernbench
