// References to blocks of the operands of a command: where the elements of a matrix lie. Plain
// data.
#pragma once

#include <cstdint>

#include "models/base/dtype.h"

namespace kernbench {

// Element (i, j) lies i * row_stride + j * column_stride bytes behind the first; a stride of 0
// repeats elements (broadcast). All axes of a tensor but the last are rows. No rows at all: the
// elements do not lie at one pitch (a broadcast between other axes); only the values that the
// command has bound tell them.
struct TensorLayout {
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 0;

  static TensorLayout dense(std::int64_t rows, std::int64_t columns, DType dtype) {
    const auto size = static_cast<std::int64_t>(size_of(dtype));
    return {rows, columns, columns * size, size};
  }
  bool regular() const { return rows > 0; }
  std::int64_t offset(std::int64_t row, std::int64_t column) const {
    return row * row_stride + column * column_stride;
  }
};

// A block of an operand or of the result.
struct BlockReference {
  // Of element (0, 0). Not pinned: virtual or physical, as in a DMA command (spec 3.3). Pinned:
  // physical, in the TCM of the PE.
  std::uint64_t address = 0;
  bool pinned = false;
  DType dtype = DType::f16;
  int input = -1;                    // in DataOp::inputs; -1: the result
  TensorLayout layout;               // of the block; the strides are those of the operand
  std::int64_t row = 0, column = 0;  // of element (0, 0) in the operand

  std::uint64_t address_of(std::int64_t i, std::int64_t j) const {
    return address + static_cast<std::uint64_t>(layout.offset(i, j));
  }
  // Of the first element behind the operand's own first one, in bytes.
  std::uint64_t offset() const { return static_cast<std::uint64_t>(layout.offset(row, column)); }
};

}  // namespace kernbench
