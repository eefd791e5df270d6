// PlacedMatrix: a tensor of rank 2 (or 1: one row) in a kernel, addressed by rows and columns of
// the whole tensor, wherever the shards are.
//
//   const PlacedMatrix a(tl, a_argument);
//   const tl::Handle panel = a.load_async({0, 32}, {0, K});  // from all shards of these elements
//
// Shards of equal width that follow one another along the columns are read by one DMA access with
// strides, and so are shards of whole rows; neither needs an operation of PE_MATH. Other shards are
// joined by tl.cat. A PE reads its own copy of replicas, and its own summand of partial sums.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/tl/program.h"

namespace kernbench::ops {

// [begin, end)
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  bool covers(const Range& other) const { return begin <= other.begin && other.end <= end; }
  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
  friend bool operator==(const Range& a, const Range& b) {
    return a.begin == b.begin && a.end == b.end;
  }
  friend bool operator!=(const Range& a, const Range& b) { return !(a == b); }
};

class PlacedMatrix {
 public:
  PlacedMatrix(tl::Program& tl, const tl::Tensor& tensor);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  DType dtype() const { return dtype_; }

  // Dense block {rows, columns} in TCM. Does not block.
  tl::Handle load_async(const Range& rows, const Range& columns) const;
  // Elements in memory that are within one shard, or within shards of whole rows. Each PE addresses
  // its own copy or summand.
  tl::BlockPtr at(const Range& rows, const Range& columns) const;
  // The parts into which the shards cut a range of rows, of all columns in `columns`, and vice
  // versa.
  std::vector<Range> row_parts(const Range& rows, const Range& columns) const;
  std::vector<Range> column_parts(const Range& rows, const Range& columns) const;

 private:
  // placed_boxes() of the tensor.
  struct Part {
    Range rows, columns;
    std::int64_t offset = 0;  // bytes from the tensor's base
  };
  tl::Handle load_band(const Range& rows, const Range& columns) const;
  // Number of parts from `first` on that one strided access can read.
  std::size_t run_of(const std::vector<const Part*>& parts, std::size_t first,
                     const Range& columns) const;
  std::vector<const Part*> parts_of(const Range& rows, const Range& columns) const;
  tl::Ptr address_of(const Part& part, std::int64_t row, std::int64_t column) const;

  tl::Program& tl_;
  tl::Ptr base_;
  DType dtype_;
  std::int64_t rows_, columns_;
  std::vector<Part> parts_;  // by first row, then by first column
};

// Consecutive parts of `block` elements, the last one of what is left.
std::vector<Range> blocks_of(const Range& whole, std::int64_t block);

// Rows and columns of the running PE's block of a tensor of rank 1 or 2.
Range local_rows(const tl::Tensor& tensor);
Range local_columns(const tl::Tensor& tensor);

}  // namespace kernbench::ops
