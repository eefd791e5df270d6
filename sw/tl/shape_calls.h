// Views of blocks and blocks of known values, as calls of tl::Program: no command, no time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sw/tl/operand.h"

namespace kernbench::tl {

class Program;

class ShapeCalls {
 public:
  // --- shape: views of the same bytes, no time ---
  Handle trans(const BlockArg& x);  // the last two axes
  Handle trans(const BlockArg& x, const std::vector<int>& dims) { return permute(x, dims); }
  Handle permute(const BlockArg& x, const std::vector<int>& dims);  // axis i of the result: dims[i]
  Handle reshape(const BlockArg& x, const Shape& shape);
  Handle view(const BlockArg& x, const Shape& shape) { return reshape(x, shape); }
  Handle ravel(const BlockArg& x) { return reshape(x, {x.handle().shape().elements()}); }
  Handle expand_dims(const BlockArg& x, int axis);  // inserts an axis of extent 1
  Handle slice(const BlockArg& x, std::int64_t begin, std::int64_t end);  // [begin, end) of axis 0
  // Every `step`-th element of [begin, end) of an axis.
  Handle slice(const BlockArg& x, int axis, std::int64_t begin, std::int64_t end,
               std::int64_t step = 1);
  // Splits a last axis of extent 2: inverse of join.
  std::pair<Handle, Handle> split(const BlockArg& x);
  Handle broadcast_to(const BlockArg& x, const Shape& shape);
  std::pair<Handle, Handle> broadcast(const BlockArg& a,
                                      const BlockArg& b);  // broadcast to the common shape
  Handle bitcast(const BlockArg& x,
                 DType dtype);  // the same bits as another dtype of the same size

  // --- make: known values in TCM, no time ---
  Handle arange(std::int64_t begin, std::int64_t end, DType dtype = DType::i32,
                CallSite site = CallSite::here());
  // i32 {values}: integers that PE_CPU has computed, such as rows from a table that it has read.
  Handle indices(const std::vector<std::int64_t>& values, CallSite site = CallSite::here());
  Handle zeros(const Shape& shape, DType dtype = DType::f16, CallSite site = CallSite::here()) {
    return full(shape, 0, dtype, site);
  }
  Handle zeros_like(const BlockArg& x) {
    return zeros(x.handle().shape(), x.handle().dtype(), x.site());
  }
  Handle full(const Shape& shape, double value, DType dtype = DType::f16,
              CallSite site = CallSite::here());

 protected:
  ShapeCalls() = default;
  ~ShapeCalls() = default;

 private:
  friend class MathCalls;
  Program& program();
  Handle without_axes(const BlockArg& x, const Axes& axes);
};

}  // namespace kernbench::tl
