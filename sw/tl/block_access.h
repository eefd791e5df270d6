// Accesses to blocks that are not contiguous: the runs of bytes that they touch, and the conversion
// between these bytes and the block.
#pragma once

#include <cstdint>
#include <vector>

#include "models/data/strided_value.h"
#include "models/protocol/command.h"
#include "sw/tl/block_ptr.h"

namespace kernbench::tl {

struct BlockAccess {
  AddressRuns runs;  // in order of transfer; empty: no access
  Shape block;       // shape in the kernel
  DType dtype = DType::f16;
  // For a load: parts of the image that the bytes of the runs form, and the strides in elements of
  // the block within that image. No parts: the bytes are the image.
  ImageParts parts;
  Extents strides;
  // For a store of a strided block: the range of elements that are stored, and their axes by place
  // in memory, outermost first. For a store by offsets (no order): the parts of the block's bytes
  // that are stored.
  Extents begin, extents;
  std::vector<std::size_t> order;

  std::uint64_t nbytes() const;  // sum over the runs
  bool contiguous() const { return runs.size() == 1 && parts.empty(); }
  // Value of a load; `fill`: value of elements outside the tensor or the mask.
  TensorValue loaded(const ByteImage& bytes, double fill) const;
  // Bytes that a store writes to the runs. `block` is dense if there is no order.
  TensorValue stored(const TensorValue& block) const;
};

// Load in flight: its block is assembled at the first use, when its bytes are bound.
struct GatheredLoad {
  BlockAccess access;
  ByteImage bytes;
  double fill = 0;
};

// Each throws AccessFault for an access outside the tensor and UsageError for invalid arguments,
// and names `call`.

// `store`: no two elements of the block may have the same address.
BlockAccess strided_access(const char* call, const BlockPtr& block, const Boundary& boundary,
                           bool store);
// Element i of a block of `shape` is `offsets[i]` elements after `base`; `mask`: null, or one value
// per element, 0 for elements that are not accessed.
BlockAccess element_access(const char* call, const Ptr& base, const Shape& shape, DType dtype,
                           const std::vector<std::int64_t>& offsets,
                           const std::vector<std::int64_t>* mask);
// Blocks {1, columns} of a table at (rows[i], column); rows and columns outside are padded.
BlockAccess row_access(const char* call, const BlockPtr& table,
                       const std::vector<std::int64_t>& rows, std::int64_t column);

}  // namespace kernbench::tl
