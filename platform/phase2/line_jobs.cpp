// Operations along the lines of one axis: scans, sorts, and moves of elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/integer_math.h"
#include "models/data/shape_rules.h"
#include "platform/phase2/element_arrays.h"
#include "platform/phase2/job.h"

namespace kernbench {
namespace {

// Block as lines along one axis: element `i` of line (outer, inner) is at (outer * extent + i) *
// inner_count + inner in row-major order.
struct AxisLines {
  std::int64_t outer = 1, extent = 1, inner = 1;

  AxisLines(const Shape& shape, int axis) {
    const auto at = static_cast<std::size_t>(normalized_axis(shape, axis));
    for (std::size_t i = 0; i < shape.rank(); ++i)
      (i < at ? outer : i == at ? extent : inner) *= shape[i];
  }
  std::int64_t first(std::int64_t line) const {
    return line / inner * extent * inner + line % inner;
  }
  std::int64_t lines() const { return outer * inner; }
};

// cumsum and cumprod: prefixes, sequentially in f32; integers wrap, sums modulo 2^32, products like
// their dtype.
class ScanJob : public Job {
 public:
  ScanJob(const DataOp& op, const ValueLookup& lookup)
      : Job(op), params_(std::get<MathParams>(op.params)), input_(op.inputs.at(0)),
        lines_(input_.shape, params_.axis.value()), dtype_(op.outputs[0].dtype),
        bytes_(dense_bytes(input_, lookup)) {}

  std::size_t blocks() const override { return 1; }

  void run_block(std::size_t) override {
    if (is_float(input_.dtype)) {
      scan<float>([](float value) { return value; });
    } else {
      const DType kept = params_.op == MathOp::cumsum ? DType::i32 : input_.dtype;
      scan<std::int64_t>([kept](std::int64_t value) { return wrapped(value, kept); });
    }
  }

 private:
  template <class T, class Keep>
  void scan(Keep keep) {
    const auto count = static_cast<std::uint64_t>(input_.shape.elements());
    std::vector<T> elements(count);
    load_elements(bytes_.data(), input_.dtype, count, elements.data());
    for (std::int64_t line = 0; line < lines_.lines(); ++line) {
      T* const first = elements.data() + lines_.first(line);
      for (std::int64_t i = 1; i < lines_.extent; ++i) {
        T& next = *at(first, i);
        const T before = *at(first, i - 1);
        next = keep(params_.op == MathOp::cumsum ? before + next : before * next);
      }
    }
    store_elements(elements.data(), count, dtype_, output_.get());
  }

  // i-th element in the direction of the scan.
  template <class T>
  T* at(T* first, std::int64_t i) const {
    return first + (params_.reverse ? lines_.extent - 1 - i : i) * lines_.inner;
  }

  const MathParams& params_;
  const TensorValue& input_;
  AxisLines lines_;
  DType dtype_;
  std::vector<std::byte> bytes_;
};

bool smaller(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// sort and topk along one axis: elements, or their indices. NaN counts as larger than every number,
// as in NumPy and PyTorch; among equal elements the lowest index comes first, in both directions.
// Elements keep their bits.
class SortJob : public Job {
 public:
  SortJob(const DataOp& op, const ValueLookup& lookup)
      : Job(op), params_(std::get<MathParams>(op.params)), dtype_(op.inputs.at(0).dtype),
        lines_(op.inputs[0].shape, params_.axis.value()),
        kept_(params_.op == MathOp::topk ? params_.kept : lines_.extent),
        bytes_(dense_bytes(op.inputs[0], lookup)) {}

  std::size_t blocks() const override { return 1; }

  void run_block(std::size_t) override {
    std::vector<std::int64_t> order(static_cast<std::size_t>(lines_.extent));
    for (std::int64_t line = 0; line < lines_.lines(); ++line) {
      sort_line(line, order);
      write_line(line, order);
    }
  }

 private:
  const std::byte* input_at(std::int64_t line, std::int64_t i) const {
    const std::int64_t element = lines_.first(line) + i * lines_.inner;
    return bytes_.data() + static_cast<std::uint64_t>(element) * size_of(dtype_);
  }

  void sort_line(std::int64_t line, std::vector<std::int64_t>& order) const {
    std::vector<double> values(order.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = read_element(input_at(line, static_cast<std::int64_t>(i)), dtype_);
    std::iota(order.begin(), order.end(), 0);
    const auto comes_first = [&](std::int64_t a, std::int64_t b) {
      const double x = values[static_cast<std::size_t>(a)], y = values[static_cast<std::size_t>(b)];
      if (smaller(x, y)) return !params_.reverse;
      if (smaller(y, x)) return params_.reverse;
      return a < b;
    };
    std::partial_sort(order.begin(), order.begin() + kept_, order.end(), comes_first);
  }

  void write_line(std::int64_t line, const std::vector<std::int64_t>& order) {
    const std::int64_t first = line / lines_.inner * kept_ * lines_.inner + line % lines_.inner;
    const std::uint64_t size = params_.indices ? sizeof(std::int32_t) : size_of(dtype_);
    for (std::int64_t i = 0; i < kept_; ++i) {
      const std::int64_t place = order[static_cast<std::size_t>(i)];
      const auto index = static_cast<std::int32_t>(place);
      std::memcpy(output_.get() + static_cast<std::uint64_t>(first + i * lines_.inner) * size,
                  params_.indices ? static_cast<const void*>(&index) : input_at(line, place), size);
    }
  }

  const MathParams& params_;
  DType dtype_;
  AxisLines lines_;
  std::int64_t kept_;
  std::vector<std::byte> bytes_;
};

// cat, flip, gather and update: elements move to other positions with their bits.
class MoveJob : public Job {
 public:
  MoveJob(const DataOp& op, const ValueLookup& lookup)
      : Job(op), op_(op), params_(std::get<MathParams>(op.params)),
        size_(size_of(op.outputs[0].dtype)) {
    for (const TensorValue& input : op.inputs) bytes_.push_back(dense_bytes(input, lookup));
  }

  std::size_t blocks() const override { return 1; }

  void run_block(std::size_t) override {
    switch (params_.op) {
      case MathOp::cat:
        return cat();
      case MathOp::flip:
        return flip();
      case MathOp::gather:
        return gather();
      default:
        return update();
    }
  }

 private:
  // Elements in row-major order.
  void copy(std::size_t input, std::int64_t from, std::int64_t to, std::int64_t count) {
    std::memcpy(output_.get() + static_cast<std::uint64_t>(to) * size_,
                bytes_[input].data() + static_cast<std::uint64_t>(from) * size_,
                static_cast<std::uint64_t>(count) * size_);
  }

  void cat() {
    const AxisLines whole(op_.outputs[0].shape, *params_.axis);
    std::int64_t begin = 0;
    for (std::size_t input = 0; input < bytes_.size(); ++input) {
      const std::int64_t extent = AxisLines(op_.inputs[input].shape, *params_.axis).extent;
      const std::int64_t run = extent * whole.inner;
      for (std::int64_t outer = 0; outer < whole.outer; ++outer)
        copy(input, outer * run, (outer * whole.extent + begin) * whole.inner, run);
      begin += extent;
    }
  }

  void flip() {
    const AxisLines lines(op_.outputs[0].shape, *params_.axis);
    for (std::int64_t outer = 0; outer < lines.outer; ++outer) {
      const std::int64_t first = outer * lines.extent;
      for (std::int64_t i = 0; i < lines.extent; ++i)
        copy(0, (first + lines.extent - 1 - i) * lines.inner, (first + i) * lines.inner,
             lines.inner);
    }
  }

  void gather() {
    const AxisLines source(op_.inputs[0].shape, *params_.axis),
        index(op_.inputs[1].shape, *params_.axis);
    const DType dtype = op_.inputs[1].dtype;
    for (std::int64_t at = 0; at < op_.outputs[0].shape.elements(); ++at) {
      const auto place = static_cast<std::int64_t>(
          read_element(bytes_[1].data() + static_cast<std::uint64_t>(at) * size_of(dtype), dtype));
      if (place < 0 || place >= source.extent) {
        throw AccessFault(fmt::format(
            "operation {}: gather of {} on axis {}: element {} of the index block is {}, allowed "
            "are 0 to {}",
            op_.id, op_.inputs[0].shape.str(), *params_.axis, at, place, source.extent - 1));
      }
      const std::int64_t outer = at / (index.extent * index.inner);
      copy(0, (outer * source.extent + place) * source.inner + at % index.inner, at, 1);
    }
  }

  void update() {
    const Shape &whole = op_.inputs[0].shape, &part = op_.inputs[1].shape;
    copy(0, 0, 0, whole.elements());
    const std::int64_t run = part.rank() == 0 ? 1 : part[part.rank() - 1];
    const std::vector<std::int64_t> strides = row_major_strides(whole);
    for (std::int64_t from = 0; from < part.elements(); from += run) {
      std::int64_t rest = from, to = 0;
      for (std::size_t axis = part.rank(); axis-- > 0;) {
        to += (rest % part[axis] + params_.starts[axis]) * strides[axis];
        rest /= part[axis];
      }
      copy(1, from, to, run);
    }
  }

  const DataOp& op_;
  const MathParams& params_;
  std::uint64_t size_;
  std::vector<std::vector<std::byte>> bytes_;  // elements of the inputs
};

}  // namespace

std::unique_ptr<Job> make_scan_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<ScanJob>(op, lookup);
}

std::unique_ptr<Job> make_sort_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<SortJob>(op, lookup);
}

std::unique_ptr<Job> make_move_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<MoveJob>(op, lookup);
}

}  // namespace kernbench
