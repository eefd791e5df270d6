#include "platform/phase2/job.h"

#include <cstring>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "platform/phase2/element_arrays.h"

namespace kernbench {
namespace {

// Elements of the input in row-major order, converted with one rounding.
class ConvertJob : public Job {
 public:
  ConvertJob(const DataOp& op, const ValueLookup& lookup)
      : Job(op), bytes_(dense_bytes(op.inputs.at(0), lookup)), from_(op.inputs[0].dtype),
        to_(op.outputs[0].dtype),
        count_(static_cast<std::uint64_t>(op.outputs[0].shape.elements())) {}

  std::size_t blocks() const override { return 1; }

  void run_block(std::size_t) override {
    if (from_ == to_) {
      std::memcpy(output_.get(), bytes_.data(), bytes_.size());
    } else if (from_ == DType::i32) {  // f32 does not hold every i32
      std::vector<std::int64_t> integers(count_);
      load_elements(bytes_.data(), from_, count_, integers.data());
      store_elements(integers.data(), count_, to_, output_.get());
    } else {
      const FloatArray floats = make_floats(count_);
      load_elements(bytes_.data(), from_, count_, floats.get());
      store_elements(floats.get(), count_, to_, output_.get());
    }
  }

 private:
  std::vector<std::byte> bytes_;
  DType from_, to_;
  std::uint64_t count_;
};

}  // namespace

std::unique_ptr<Job> make_convert_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<ConvertJob>(op, lookup);
}

namespace {

std::unique_ptr<Job> make_math_job(const DataOp& op, MathOp math, const ValueLookup& lookup) {
  switch (kind_of(math)) {
    case MathKind::reduction:
      return make_reduction_job(op, lookup);
    case MathKind::scan:
      return make_scan_job(op, lookup);
    case MathKind::sort:
      return make_sort_job(op, lookup);
    case MathKind::move:
      return make_move_job(op, lookup);
    case MathKind::element_wise:
      break;
  }
  return is_random(math) ? make_random_job(op, lookup) : make_elementwise_job(op, lookup);
}

}  // namespace

std::unique_ptr<Job> make_job(const DataOp& op, const ValueLookup& lookup,
                              const StopQuestion& stop) {
  if (std::holds_alternative<GemmParams>(op.params)) return make_gemm_job(op, lookup, stop);
  if (std::holds_alternative<ConvertParams>(op.params)) return make_convert_job(op, lookup);
  if (const auto* math = std::get_if<MathParams>(&op.params))
    return make_math_job(op, math->op, lookup);
  throw ModelError("a memory op has nothing to compute");
}

}  // namespace kernbench
