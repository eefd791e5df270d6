#include "sw/tl/block_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/protocol/task_operands.h"
#include "sw/tl/dtypes.h"

namespace kernbench::tl {
namespace {

constexpr std::uint64_t max_runs = 1 << 20;

void check_runs(const char* call, const AddressRuns& runs) {
  if (runs.size() <= max_runs) return;
  throw UsageError(
      fmt::format("{}: more than {} runs of bytes; work through smaller blocks, or make an axis of "
                  "stride 1 the one that is wide",
                  call, max_runs));
}

std::string text(const Extents& extents) { return fmt::format("{{{}}}", fmt::join(extents, ", ")); }

// Whether the blocks of a tensor, in sequence, are its elements in row-major order.
bool lies_row_major(const TensorInfo& tensor) {
  return std::all_of(tensor.blocks.begin(), tensor.blocks.end(), [&](const Block& block) {
    std::int64_t first = 0;    // first element of the block, in the whole tensor
    bool in_one_piece = true;  // true after the first axis of the block that is longer than 1
    bool behind = false;
    for (std::size_t axis = 0; axis < tensor.shape.rank(); ++axis) {
      first = first * tensor.shape[axis] + block.start[axis];
      if (behind && block.shape[axis] != tensor.shape[axis]) in_one_piece = false;
      behind = behind || block.shape[axis] > 1;
    }
    return in_one_piece &&
           block.offset == static_cast<std::uint64_t>(first) * size_of(tensor.dtype);
  });
}

// Refuses tensors whose shards are not row-major: dense strides of the whole tensor would address
// elements of other rows.
void check_shards(const char* call, const Ptr& base, const Extents& shape, const Extents& strides) {
  const TensorInfo* tensor = base.tensor().get();
  if (tensor == nullptr || tensor->nbytes == 0 || base.address() != tensor->va_base ||
      base.dtype() != tensor->dtype || shape.size() != tensor->shape.rank())
    return;
  std::int64_t dense = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != tensor->shape[axis] || strides[axis] != dense) return;
    dense *= shape[axis];
  }
  if (lies_row_major(*tensor)) return;
  const Block& first = tensor->blocks.front();
  throw UsageError(fmt::format(
      "{}: strides {} are not those of tensor '{}' {}, which is stored shard by shard ({} on {}, "
      "...); describe {}.local(), or cut axis 0",
      call, text(strides), tensor->name, tensor->shape.str(), first.shape.str(), first.where.str(),
      tensor->name));
}

// The elements [low, high) of an axis of the block that lie inside the tensor.
struct Inside {
  std::int64_t low = 0, high = 0;
};

void check_boundary(const char* call, const Boundary& boundary, const BlockPtr& block) {
  const int rank = static_cast<int>(block.block_shape().rank());
  std::set<int> named;
  for (const int axis : boundary.axes) {
    if (axis < 0 || axis >= rank)
      throw UsageError(fmt::format("{}: boundary check of axis {}: the axes of {} are 0 to {}",
                                   call, axis, block.block_shape().str(), rank - 1));
    if (!named.insert(axis).second)
      throw UsageError(fmt::format("{}: boundary check of axis {}: named twice", call, axis));
  }
  if (boundary.padding == Padding::nan && !is_float(block.dtype()))
    throw UsageError(
        fmt::format("{}: padding nan of {}: integers have none", call, name_of(block.dtype())));
}

Inside inside_of(const char* call, const BlockPtr& block, std::size_t axis,
                 const Boundary& boundary) {
  const std::int64_t extent = block.block_shape()[axis], offset = block.offsets()[axis],
                     of = block.shape()[axis];
  const Inside inside{std::clamp<std::int64_t>(-offset, 0, extent),
                      std::clamp<std::int64_t>(of - offset, 0, extent)};
  const bool checked = std::find(boundary.axes.begin(), boundary.axes.end(),
                                 static_cast<int>(axis)) != boundary.axes.end();
  if (!checked && (inside.low > 0 || inside.high < extent)) {
    throw AccessFault(fmt::format(
        "{}: the block {} at offsets {} leaves {} on axis {}: offset {} and extent {} of {}; "
        "tl::Boundary{{{{{}}}}} pads what is outside",
        call, block.block_shape().str(), text(block.offsets()), block.base().str(), axis, offset,
        extent, of, axis));
  }
  return inside;
}

// Axes of the block by decreasing stride, preceded by those that repeat their elements.
std::vector<std::size_t> memory_order(const Extents& strides) {
  std::vector<std::size_t> order(strides.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&strides](std::size_t axis) {
    return strides[axis] == 0 ? std::numeric_limits<std::int64_t>::max() : strides[axis];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  return order;
}

// Strided block under construction: axes by their places in memory, outermost first.
class StridedBlock {
 public:
  StridedBlock(const char* call, const BlockPtr& block, const Boundary& boundary)
      : call_(call), size_(static_cast<std::int64_t>(size_of(block.dtype()))),
        base_(block.base().address()), order_(memory_order(block.strides())) {
    for (const std::size_t axis : order_) {
      const Inside inside = inside_of(call, block, axis, boundary);
      const std::int64_t extent = block.block_shape()[axis], stride = block.strides()[axis];
      const bool padded = inside.low > 0 || inside.high < extent;
      axes_.push_back({extent, stride, block.offsets()[axis], inside, padded});
      padded_ |= padded;
      empty_ |= inside.low == inside.high;
    }
    check_place(block);
  }

  BlockAccess access(const BlockPtr& block, bool store) {
    BlockAccess access;
    access.block = block.block_shape();
    access.dtype = block.dtype();
    access.order = order_;
    if (!empty_) add_runs(access.runs, 0, 0);
    check_runs(call_, access.runs);
    if (store) {
      check_distinct(access.runs);
    } else if (padded_) {
      std::uint64_t taken = 0;
      add_parts(access.parts, 0, taken);
    }
    describe_image(access);
    return access;
  }

 private:
  struct Axis {
    std::int64_t extent = 1, stride = 0, offset = 0;
    Inside inside;
    bool padded = false;

    bool repeats() const { return stride == 0; }
    // Extent of the axis in the image of a load.
    std::int64_t image_extent() const { return repeats() && !padded ? 1 : extent; }
    std::int64_t first() const { return offset + inside.low; }
    std::int64_t last() const { return offset + inside.high - 1; }
  };

  void check_place(const BlockPtr& block) const {
    if (empty_) return;
    std::int64_t first = 0, last = 0;
    for (const Axis& axis : axes_) {
      first += axis.first() * axis.stride;
      last += axis.last() * axis.stride;
    }
    (block.base() + first * size_)
        .check_access(call_, static_cast<std::uint64_t>((last - first + 1) * size_));
  }

  void add_runs(AddressRuns& runs, std::size_t at, std::int64_t element) const {
    const Axis& axis = axes_[at];
    const bool last = at + 1 == axes_.size();
    const std::int64_t first = element + axis.first() * axis.stride;
    const std::int64_t count = axis.inside.high - axis.inside.low;
    if (last && axis.stride == 1)
      return add_run(runs, address(first), static_cast<std::uint64_t>(count * size_));
    for (std::int64_t i = 0; i < (axis.repeats() ? 1 : count); ++i) {
      if (!last) {
        add_runs(runs, at + 1, first + i * axis.stride);
      } else {
        add_run(runs, address(first + i * axis.stride), static_cast<std::uint64_t>(size_));
      }
      if (runs.size() > max_runs) return;  // too many runs
    }
  }

  std::uint64_t address(std::int64_t element) const {
    return base_ + static_cast<std::uint64_t>(element * size_);
  }

  // Adds the parts of the image below an axis; `taken`: bytes of the runs so far.
  void add_parts(ImageParts& parts, std::size_t at, std::uint64_t& taken) const {
    if (at == axes_.size()) {
      add_part(parts, {false, taken, static_cast<std::uint64_t>(size_)});
      taken += static_cast<std::uint64_t>(size_);
      return;
    }
    const Axis& axis = axes_[at];
    const std::int64_t count =
        axis.padded ? axis.inside.high - axis.inside.low : axis.image_extent();
    add_part(parts, {true, 0, image_bytes(at, axis.padded ? axis.inside.low : 0)});
    if (at + 1 == axes_.size() && !axis.repeats() && !empty_) {
      const auto bytes = static_cast<std::uint64_t>(count * size_);
      add_part(parts, {false, taken, bytes});
      taken += bytes;
    } else {
      const std::uint64_t start = taken;
      for (std::int64_t i = 0; i < count; ++i) {
        if (axis.repeats()) taken = start;
        if (empty_) {
          add_part(parts, {true, 0, image_bytes(at, 1)});
        } else {
          add_parts(parts, at + 1, taken);
        }
      }
    }
    add_part(parts, {true, 0, image_bytes(at, axis.padded ? axis.extent - axis.inside.high : 0)});
  }

  // Image bytes of `count` elements of an axis with all inner axes.
  std::uint64_t image_bytes(std::size_t at, std::int64_t count) const {
    std::int64_t bytes = count * size_;
    for (std::size_t below = at + 1; below < axes_.size(); ++below)
      bytes *= axes_[below].image_extent();
    return static_cast<std::uint64_t>(bytes);
  }

  void describe_image(BlockAccess& access) const {
    const std::size_t rank = axes_.size();
    access.strides.resize(rank);
    access.begin.resize(rank);
    access.extents.resize(rank);
    std::int64_t stride = 1;
    for (std::size_t at = rank; at-- > 0;) {
      const Axis& axis = axes_[at];
      access.strides[order_[at]] = axis.repeats() && !axis.padded ? 0 : stride;
      stride *= axis.image_extent();
      access.begin[order_[at]] = axis.inside.low;
      access.extents[order_[at]] = axis.inside.high - axis.inside.low;
    }
  }

  void check_distinct(const AddressRuns& runs) const {
    for (std::size_t at = 0; at < axes_.size(); ++at) {
      if (axes_[at].repeats() && axes_[at].inside.high - axes_[at].inside.low > 1)
        throw UsageError(fmt::format("{}: axis {} has stride 0: its elements lie at one place",
                                     call_, order_[at]));
    }
    const auto before = [](const AddressRun& a, const AddressRun& b) {
      return a.address < b.address;
    };
    AddressRuns sorted;
    const AddressRuns* all = &runs;
    if (!std::is_sorted(runs.begin(), runs.end(), before)) {
      sorted = runs;
      std::sort(sorted.begin(), sorted.end(), before);
      all = &sorted;
    }
    for (std::size_t i = 1; i < all->size(); ++i) {
      if ((*all)[i - 1].address + (*all)[i - 1].nbytes > (*all)[i].address)
        throw UsageError(
            fmt::format("{}: the strides let elements of the block lie at one place", call_));
    }
  }

  const char* call_;
  std::int64_t size_;
  std::uint64_t base_;
  std::vector<std::size_t> order_;
  std::vector<Axis> axes_;
  bool padded_ = false, empty_ = false;
};

}  // namespace

BlockPtr::BlockPtr(const char* call, const Ptr& base, Extents shape, Extents strides,
                   Extents offsets, Shape block)
    : base_(base), shape_(std::move(shape)), strides_(std::move(strides)),
      offsets_(std::move(offsets)), block_(std::move(block)) {
  constexpr std::size_t max_rank = 5;
  if (!base_.dtype())
    throw UsageError(fmt::format("{}: {} has no dtype; use ptr.as(dtype)", call, base_.str()));
  const std::size_t rank = shape_.size();
  if (rank < 1 || rank > max_rank || strides_.size() != rank || offsets_.size() != rank ||
      block_.rank() != rank) {
    throw UsageError(fmt::format(
        "{}: shape {}, strides {}, offsets {}, block shape {}: all must have one rank, 1 to {}",
        call, text(shape_), text(strides_), text(offsets_), block_.str(), max_rank));
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (shape_[axis] < 0)
      throw UsageError(
          fmt::format("{}: extent {} of axis {}: allowed is at least 0", call, shape_[axis], axis));
    if (strides_[axis] < 0)
      throw UsageError(fmt::format("{}: stride {} of axis {}: allowed is at least 0", call,
                                   strides_[axis], axis));
  }
  check_block(call, block_);
  check_shards(call, base_, shape_, strides_);
}

std::uint64_t BlockAccess::nbytes() const {
  std::uint64_t total = 0;
  for (const AddressRun& run : runs) total += run.nbytes;
  return total;
}

TensorValue BlockAccess::loaded(const ByteImage& bytes, double fill) const {
  std::vector<std::byte> element(size_of(dtype));
  write_element(element.data(), dtype, fill);
  return strided_view(parts.empty() ? bytes : assembled(bytes, parts, element), block, dtype,
                      strides);
}

TensorValue BlockAccess::stored(const TensorValue& value) const {
  if (!order.empty())
    return permuted(sub_block(value, begin, extents), {order.begin(), order.end()});
  ByteImage bytes = parts.empty() ? value.image : taken_apart(value.image, parts);
  const auto elements = static_cast<std::int64_t>(bytes.nbytes() / size_of(dtype));
  return {std::move(bytes), Shape{elements}, dtype, {}};
}

BlockAccess strided_access(const char* call, const BlockPtr& block, const Boundary& boundary,
                           bool store) {
  check_boundary(call, boundary, block);
  block.base().check_elements(call, block.dtype());
  return StridedBlock(call, block, boundary).access(block, store);
}

BlockAccess element_access(const char* call, const Ptr& base, const Shape& shape, DType dtype,
                           const std::vector<std::int64_t>& offsets,
                           const std::vector<std::int64_t>* mask) {
  const std::uint64_t size = size_of(dtype);
  BlockAccess access;
  access.block = shape;
  access.dtype = dtype;
  access.strides = row_major_strides(shape);
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (mask != nullptr && (*mask)[i] == 0) {
      add_part(access.parts, {true, 0, size});
      continue;
    }
    const Ptr at = base + offsets[i] * static_cast<std::int64_t>(size);
    try {
      at.check_access(call, size);
    } catch (const AccessFault& fault) {
      throw AccessFault(
          fmt::format("{} (lane {} of {}, offset {})", fault.what(), i, shape.str(), offsets[i]));
    }
    add_run(access.runs, at.address(), size);
    add_part(access.parts, {false, taken, size});
    taken += size;
  }
  check_runs(call, access.runs);
  if (taken == offsets.size() * size) access.parts.clear();
  return access;
}

BlockAccess row_access(const char* call, const BlockPtr& table,
                       const std::vector<std::int64_t>& rows, std::int64_t column) {
  const auto size = static_cast<std::int64_t>(size_of(table.dtype()));
  const std::int64_t columns = table.block_shape()[1];
  const std::int64_t low = std::clamp<std::int64_t>(-column, 0, columns);
  const std::int64_t high = std::clamp<std::int64_t>(table.shape()[1] - column, low, columns);
  const auto bytes = [size](std::int64_t elements) {
    return static_cast<std::uint64_t>(elements * size);
  };
  BlockAccess access;
  access.block = Shape{static_cast<std::int64_t>(rows.size()), columns};
  access.dtype = table.dtype();
  access.strides = row_major_strides(access.block);
  std::uint64_t taken = 0;
  for (const std::int64_t row : rows) {
    if (row < 0 || row >= table.shape()[0] || low == high) {
      add_part(access.parts, {true, 0, bytes(columns)});
      continue;
    }
    const Ptr at = table.base() + (row * table.strides()[0] + column + low) * size;
    at.check_access(call, bytes(high - low));
    add_run(access.runs, at.address(), bytes(high - low));
    add_part(access.parts, {true, 0, bytes(low)});
    add_part(access.parts, {false, taken, bytes(high - low)});
    add_part(access.parts, {true, 0, bytes(columns - high)});
    taken += bytes(high - low);
  }
  check_runs(call, access.runs);
  if (taken == rows.size() * bytes(columns)) access.parts.clear();
  return access;
}

}  // namespace kernbench::tl
