// cumsum and cumprod: prefixes along one axis, one element after the other in f32; integers wrap,
// sums modulo 2^32, products like their dtype.
#include <algorithm>
#include <vector>

#include "models/data/integer_math.h"
#include "platform/phase2/axis_lines.h"
#include "platform/phase2/element_arrays.h"
#include "platform/phase2/job.h"

namespace kernbench {
namespace {

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

  // The i-th from the end at which the scan begins.
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

}  // namespace

std::unique_ptr<Job> make_scan_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<ScanJob>(op, lookup);
}

}  // namespace kernbench
