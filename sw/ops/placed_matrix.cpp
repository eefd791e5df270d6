#include "sw/ops/placed_matrix.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "sw/ops/box.h"

namespace kernbench::ops {
namespace {

Range axis_from_last(const Extents& extents, const Extents& start, std::size_t back) {
  if (extents.size() <= back) return {0, 1};
  const std::size_t axis = extents.size() - 1 - back;
  return {start[axis], start[axis] + extents[axis]};
}

Range intersection(const Range& a, const Range& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

// Cuts `whole` at the bounds that are inside it.
std::vector<Range> cut(const Range& whole, const std::set<std::int64_t>& bounds) {
  std::vector<Range> parts;
  std::int64_t begin = whole.begin;
  for (const std::int64_t bound : bounds) {
    if (bound <= begin || bound >= whole.end) continue;
    parts.push_back({begin, bound});
    begin = bound;
  }
  parts.push_back({begin, whole.end});
  return parts;
}

}  // namespace

PlacedMatrix::PlacedMatrix(tl::Program& tl, const tl::Tensor& tensor)
    : tl_(tl), base_(tensor.ptr()), dtype_(tensor.dtype()),
      rows_(tensor.shape().rank() < 2 ? 1 : tensor.shape()[0]),
      columns_(tensor.shape()[tensor.shape().rank() - 1]) {
  for (const auto& [box, offset] : placed_boxes(*base_.tensor()))
    parts_.push_back({axis_from_last(box.extents, box.start, 1),
                      axis_from_last(box.extents, box.start, 0), offset});
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
    return std::tie(a.rows.begin, a.columns.begin) < std::tie(b.rows.begin, b.columns.begin);
  });
}

std::vector<const PlacedMatrix::Part*> PlacedMatrix::parts_of(const Range& rows,
                                                              const Range& columns) const {
  std::vector<const Part*> found;
  for (const Part& part : parts_) {
    if (part.rows.meets(rows) && part.columns.meets(columns)) found.push_back(&part);
  }
  return found;
}

std::vector<Range> PlacedMatrix::row_parts(const Range& rows, const Range& columns) const {
  std::set<std::int64_t> bounds;
  for (const Part* part : parts_of(rows, columns)) bounds.insert(part->rows.begin);
  return cut(rows, bounds);
}

std::vector<Range> PlacedMatrix::column_parts(const Range& rows, const Range& columns) const {
  std::set<std::int64_t> bounds;
  for (const Part* part : parts_of(rows, columns)) bounds.insert(part->columns.begin);
  return cut(columns, bounds);
}

tl::Ptr PlacedMatrix::address_of(const Part& part, std::int64_t row, std::int64_t column) const {
  const std::int64_t element =
      (row - part.rows.begin) * part.columns.size() + column - part.columns.begin;
  return base_ + (part.offset + element * static_cast<std::int64_t>(size_of(dtype_)));
}

tl::BlockPtr PlacedMatrix::at(const Range& rows, const Range& columns) const {
  const Part& part = *parts_of(rows, columns).at(0);
  return tl_.make_block_ptr(address_of(part, rows.begin, columns.begin),
                            {rows.size(), columns.size()}, {part.columns.size(), 1}, {0, 0},
                            {rows.size(), columns.size()});
}

tl::Handle PlacedMatrix::load_async(const Range& rows, const Range& columns) const {
  std::vector<tl::Handle> bands;
  for (const Range& band : row_parts(rows, columns)) bands.push_back(load_band(band, columns));
  return bands.size() == 1 ? bands[0] : tl_.cat(bands, 0);
}

std::size_t PlacedMatrix::run_of(const std::vector<const Part*>& parts, std::size_t first,
                                 const Range& columns) const {
  const Part& head = *parts[first];
  if (!columns.covers(head.columns)) return 1;
  std::size_t count = 1;
  for (; first + count < parts.size(); ++count) {
    const Part &previous = *parts[first + count - 1], &next = *parts[first + count];
    const bool follows =
        columns.covers(next.columns) && next.rows == head.rows &&
        next.columns.size() == head.columns.size() && next.offset > previous.offset &&
        (count == 1 || next.offset - previous.offset == parts[first + 1]->offset - head.offset);
    if (!follows) break;
  }
  return count;
}

// Rows that no shard cuts.
tl::Handle PlacedMatrix::load_band(const Range& rows, const Range& columns) const {
  const std::vector<const Part*> parts = parts_of(rows, columns);
  const auto size = static_cast<std::int64_t>(size_of(dtype_));
  std::vector<tl::Handle> blocks;
  for (std::size_t first = 0; first < parts.size();) {
    const Part& head = *parts[first];
    const std::size_t count = run_of(parts, first, columns);
    if (count == 1) {
      blocks.push_back(tl_.load_async(at(rows, intersection(head.columns, columns))));
    } else {
      const std::int64_t width = head.columns.size(), n = static_cast<std::int64_t>(count),
                         pitch = (parts[first + 1]->offset - head.offset) / size;
      const Shape block{rows.size(), n, width};
      const tl::BlockPtr run =
          tl_.make_block_ptr(address_of(head, rows.begin, head.columns.begin), block.extents(),
                             {width, pitch, 1}, {0, 0, 0}, block);
      blocks.push_back(tl_.reshape(tl_.load_async(run), {rows.size(), n * width}));
    }
    first += count;
  }
  return blocks.size() == 1 ? blocks[0] : tl_.cat(blocks, 1);
}

std::vector<Range> blocks_of(const Range& whole, std::int64_t block) {
  std::vector<Range> blocks;
  for (std::int64_t begin = whole.begin; begin < whole.end; begin += block)
    blocks.push_back({begin, std::min(whole.end, begin + block)});
  return blocks;
}

Range local_rows(const tl::Tensor& tensor) {
  return axis_from_last(tensor.local_shape().extents(), tensor.local_start(), 1);
}
Range local_columns(const tl::Tensor& tensor) {
  return axis_from_last(tensor.local_shape().extents(), tensor.local_start(), 0);
}

}  // namespace kernbench::ops
