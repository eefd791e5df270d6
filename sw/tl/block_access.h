// Accesses to blocks that are not contiguous: the runs of bytes that they touch, and what becomes
// of the bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "models/data/strided_value.h"
#include "models/protocol/command.h"
#include "sw/tl/block_ptr.h"

namespace kernbench::tl {

struct BlockAccess {
  AddressRuns runs;  // in the order of the transfer; none: nothing is touched
  Shape block;       // as the kernel has it
  DType dtype = DType::f16;
  // A load: the image that the bytes of the runs are put together to, and the strides in elements
  // at which the elements of the block lie in it. No parts: the bytes as they are.
  ImageParts parts;
  Extents strides;
  // A store of a strided block: the elements that are stored, and their axes by place in memory,
  // outermost first. Of elements at places of their own (no order): the parts of the block's bytes
  // that are stored.
  Extents begin, extents;
  std::vector<std::size_t> order;

  std::uint64_t nbytes() const;  // of the runs
  bool contiguous() const { return runs.size() == 1 && parts.empty(); }
  // The value of a load; `fill`: of the elements that are not there.
  TensorValue loaded(const ByteImage& bytes, double fill) const;
  // What a store writes to the runs. `block` is dense where there is no order.
  TensorValue stored(const TensorValue& block) const;
};

// A load under way: its block is put together at the first use, when its bytes are bound.
struct GatheredLoad {
  BlockAccess access;
  ByteImage bytes;
  double fill = 0;
};

// Each throws AccessFault where it leaves the tensor, UsageError for what cannot be asked for, and
// names `call`.

// `store`: no two elements of the block lie at one place.
BlockAccess strided_access(const char* call, const BlockPtr& block, const Boundary& boundary,
                           bool store);
// Element i of a block of `shape` lies `offsets[i]` elements behind `base`; `mask`: null, or as
// many, 0 for those that are not accessed.
BlockAccess element_access(const char* call, const Ptr& base, const Shape& shape, DType dtype,
                           const std::vector<std::int64_t>& offsets,
                           const std::vector<std::int64_t>* mask);
// Blocks {1, columns} of a table at (rows[i], column); rows and columns outside are padded.
BlockAccess row_access(const char* call, const BlockPtr& table,
                       const std::vector<std::int64_t>& rows, std::int64_t column);

}  // namespace kernbench::tl
