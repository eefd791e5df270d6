// cat, flip, gather and update: elements at other positions, with their bits.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "platform/phase2/axis_lines.h"
#include "platform/phase2/job.h"

namespace kernbench {
namespace {

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
  std::vector<std::vector<std::byte>> bytes_;  // of the inputs
};

}  // namespace

std::unique_ptr<Job> make_move_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<MoveJob>(op, lookup);
}

}  // namespace kernbench
