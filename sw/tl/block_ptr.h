// Blocks of tensors in memory, with shape and strides: tl::BlockPtr and tl::TensorDescriptor, as
// Triton's make_block_ptr and make_tensor_descriptor, and masked blocks of element pointers.
//
//   tl::BlockPtr p = tl.make_block_ptr(x, {M, N}, {N, 1}, {0, 0}, {32, 64});
//   for (...) { use(tl.load(p, {{1}})); p = tl.advance(p, {0, 64}); }
#pragma once

#include <cstdint>
#include <vector>

#include "sw/tl/operand.h"
#include "sw/tl/ptr.h"

namespace kernbench::tl {

class Program;

using Extents = std::vector<std::int64_t>;  // per axis, in elements

// Value of elements outside the tensor.
enum class Padding : std::uint8_t { zero, nan };

// Axes on which a block may leave the tensor: a load pads elements outside, a store skips them.
// Leaving it on any other axis is an AccessFault.
struct Boundary {
  std::vector<int> axes = {};
  Padding padding = Padding::zero;
};

// A block of a tensor: element (i, j, ...) is sum((offset + i) * stride) elements after `base`.
class BlockPtr {
 public:
  const Ptr& base() const { return base_; }
  DType dtype() const { return *base_.dtype(); }
  const Extents& shape() const { return shape_; }      // shape of the tensor
  const Extents& strides() const { return strides_; }  // strides of the tensor
  const Extents& offsets() const { return offsets_; }  // position of the block's first element
  const Shape& block_shape() const { return block_; }

 private:
  friend class Program;
  friend class TensorDescriptor;
  // UsageError, naming `call`: no dtype, ranks that differ or are not 1 to 5, a negative stride, an
  // extent below 1.
  BlockPtr(const char* call, const Ptr& base, Extents shape, Extents strides, Extents offsets,
           Shape block);

  Ptr base_;
  Extents shape_, strides_, offsets_;
  Shape block_;
};

// Tensor cut into blocks of one shape, whose accesses are always checked against its bounds: a load
// pads elements outside, a store skips them.
class TensorDescriptor {
 public:
  Handle load(const Extents& offsets, CallSite site = CallSite::here()) const;
  void store(const Extents& offsets, const Handle& block, CallSite site = CallSite::here()) const;
  // Not blocking, as tl.load_async and tl.store_async.
  Handle load_async(const Extents& offsets, CallSite site = CallSite::here()) const;
  Handle store_async(const Extents& offsets, const Handle& block,
                     CallSite site = CallSite::here()) const;
  Handle ref(
      const Extents& offsets,
      CallSite site = CallSite::here()) const;  // as tl.ref(block pointer): inside the tensor
  // Rows of a table, rank 2 and block shape {1, columns}: row i of the result is the block at
  // {rows[i], column}. `rows`: integers whose values are known (Handle::index_values).
  Handle gather(const Handle& rows, std::int64_t column = 0,
                CallSite site = CallSite::here()) const;
  void scatter(const Handle& block, const Handle& rows, std::int64_t column = 0,
               CallSite site = CallSite::here()) const;

  // Not blocking, as tl.load_async and tl.store_async.
  Handle gather_async(const Handle& rows, std::int64_t column = 0,
                      CallSite site = CallSite::here()) const;
  Handle scatter_async(const Handle& block, const Handle& rows, std::int64_t column = 0,
                       CallSite site = CallSite::here()) const;

  BlockPtr at(const Extents& offsets, CallSite site = CallSite::here()) const;

 private:
  friend class Program;
  TensorDescriptor(Program& program, BlockPtr tensor, Padding padding)
      : program_(&program), tensor_(std::move(tensor)), padding_(padding) {}
  Boundary boundary() const;

  Program* program_;
  BlockPtr tensor_;
  Padding padding_;
};

// Lanes of a block of element pointers. A lane whose mask is 0 is not accessed; a load returns
// `other` for it. Mask and `other` broadcast to the shape of the offsets; a block `other` is
// selected by a tl.where after the load.
struct Masked {
  Handle mask = {};
  Operand other = 0.0;
};

}  // namespace kernbench::tl
