// References to blocks of the operands of a command: location of the elements of a matrix. Plain
// data.
#pragma once

#include <cstdint>

#include "models/base/dtype.h"

namespace kernbench {

// Element (i, j) is i * row_stride + j * column_stride bytes after the first; a stride of 0 repeats
// elements (broadcast). All axes of a tensor except the last are rows. Without rows the elements
// have no single pitch (a broadcast between other axes); only the values that the command has bound
// define them.
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
  // Address of element (0, 0). Not pinned: virtual or physical, as in a DMA command (spec 3.3).
  // Pinned: physical, in the TCM of the PE.
  std::uint64_t address = 0;
  bool pinned = false;
  DType dtype = DType::f16;
  int input = -1;                    // index in DataOp::inputs; -1: the result
  TensorLayout layout;               // layout of the block; the strides are those of the operand
  std::int64_t row = 0, column = 0;  // position of element (0, 0) in the operand

  std::uint64_t address_of(std::int64_t i, std::int64_t j) const {
    return address + static_cast<std::uint64_t>(layout.offset(i, j));
  }
  // Bytes from the operand's first element to the first element of the block.
  std::uint64_t offset() const { return static_cast<std::uint64_t>(layout.offset(row, column)); }
};

}  // namespace kernbench
