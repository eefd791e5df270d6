// sort and topk along one axis: elements, or their places. NaN counts as larger than every number,
// as in NumPy and PyTorch; of equal elements the one with the lowest index comes first, in both
// directions. Elements keep their bits.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "models/data/elements.h"
#include "platform/phase2/axis_lines.h"
#include "platform/phase2/job.h"

namespace kernbench {
namespace {

bool smaller(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

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

}  // namespace

std::unique_ptr<Job> make_sort_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<SortJob>(op, lookup);
}

}  // namespace kernbench
