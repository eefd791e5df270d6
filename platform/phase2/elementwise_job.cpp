// Element-wise ops: operands broadcast to the output's shape are read in short runs, computed in
// f32 and rounded once.
//
// Ops on integers only that integers compute exactly (integer_math.h) are computed as integers and
// wrap like the operands' common dtype; all other ops use f32.
//
// Random numbers follow from a seed and an operand with the offsets.
#include <algorithm>
#include <array>
#include <cstring>

#include "models/data/elements.h"
#include "models/data/integer_math.h"
#include "models/data/shape_rules.h"
#include "platform/phase2/element_arrays.h"
#include "platform/phase2/epilogue.h"
#include "platform/phase2/job.h"
#include "platform/phase2/math_functions.h"

namespace kernbench {
namespace {

constexpr std::int64_t block_elements = 64 * 1024, run_elements = 512;

// Operand broadcast to the output's shape.
class Operand {
 public:
  Operand(double immediate) : immediate_(immediate) {}  // NOLINT(google-explicit-constructor)
  Operand(const TensorValue& value, const Shape& out, const ValueLookup& lookup)
      : bytes_(value.image.flatten(lookup)), dtype_(value.dtype), extents_(out.extents()) {
    const TensorValue seen = broadcast_to(value, out);
    contiguous_ = seen.dense();
    strides_ = contiguous_ ? row_major_strides(out) : seen.strides;
  }

  // Elements for flat output indices [begin, begin + count).
  template <class T>
  void read(std::int64_t begin, std::int64_t count, T* to) const {
    if (!bytes_) return std::fill(to, to + count, immediate<T>());
    if constexpr (std::is_same_v<T, double>) {
      std::array<float, run_elements> floats;
      read(begin, count, floats.data());
      std::copy(floats.begin(), floats.begin() + count, to);
    } else {
      read_elements(begin, count, to);
    }
  }

 private:
  template <class T>
  void read_elements(std::int64_t begin, std::int64_t count, T* to) const {
    const auto size = static_cast<std::int64_t>(size_of(dtype_));
    if (contiguous_)
      return load_elements(bytes_.get() + begin * size, dtype_, static_cast<std::uint64_t>(count),
                           to);
    std::array<std::byte, static_cast<std::size_t>(run_elements) * 4> gathered;
    gather(begin, count, size, gathered.data());
    load_elements(gathered.data(), dtype_, static_cast<std::uint64_t>(count), to);
  }

  template <class T>
  T immediate() const {
    if constexpr (std::is_same_v<T, double>)
      return static_cast<float>(immediate_);  // operands are f32
    return static_cast<T>(immediate_);        // integers fit: has_32_bits()
  }

  void gather(std::int64_t begin, std::int64_t count, std::int64_t size, std::byte* to) const {
    const std::size_t last = extents_.size() - 1;  // a scalar output is contiguous
    while (count > 0) {
      std::int64_t rest = begin, from = 0;
      for (std::size_t axis = extents_.size(); axis-- > 0;) {
        from += rest % extents_[axis] * strides_[axis];
        rest /= extents_[axis];
      }
      const std::int64_t run = std::min(count, extents_[last] - begin % extents_[last]);
      for (std::int64_t i = 0; i < run; ++i, to += size) {
        std::memcpy(to, bytes_.get() + (from + i * strides_[last]) * size,
                    static_cast<std::size_t>(size));
      }
      begin += run;
      count -= run;
    }
  }

  double immediate_ = 0;
  SharedBytes bytes_;
  DType dtype_ = DType::f32;
  std::vector<std::int64_t> extents_, strides_;
  bool contiguous_ = false;
};

class ElementwiseJob : public Job {
 public:
  ElementwiseJob(const DataOp& op, const ValueLookup& lookup)
      : Job(op), op_(std::get<MathParams>(op.params).op), out_(op.outputs[0]),
        elements_(out_.shape.elements()),
        epilogue_(std::get<MathParams>(op.params).epilogue, op.inputs, lookup) {
    bool integer = has_integer_form(op_) && (epilogue_.empty() || takes_integers_only(op_));
    std::optional<DType> dtype;
    const MathOperands& operands = std::get<MathParams>(op.params).operands;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool condition = op_ == MathOp::where && i == 0;
      if (operands[i].input < 0) {
        operands_.emplace_back(operands[i].immediate);
        integer = integer && (condition || !makes_f32(op_, operands[i]));
        continue;
      }
      const TensorValue& input = op.inputs.at(static_cast<std::size_t>(operands[i].input));
      operands_.emplace_back(input, out_.shape, lookup);
      if (!condition) dtype = dtype ? promote(*dtype, input.dtype) : input.dtype;
    }
    if (!dtype && op_ == MathOp::where) dtype = DType::i32;  // two scalars
    if (integer && dtype && !is_float(*dtype)) integer_dtype_ = dtype;
    in_double_ = !integer_dtype_ && epilogue_.empty() && needs_double(op);
  }

  std::size_t blocks() const override {
    return static_cast<std::size_t>((elements_ + block_elements - 1) / block_elements);
  }

  void run_block(std::size_t index) override {
    const std::int64_t begin = static_cast<std::int64_t>(index) * block_elements,
                       end = std::min(elements_, begin + block_elements);
    for (std::int64_t at = begin; at < end; at += run_elements) {
      const std::int64_t count = std::min(run_elements, end - at);
      std::byte* to = output_.get() + static_cast<std::uint64_t>(at) * size_of(out_.dtype);
      if (integer_dtype_ && epilogue_.empty()) {
        std::array<std::int64_t, run_elements> x;
        compute_integers(at, count, x.data());
        store_elements(x.data(), static_cast<std::uint64_t>(count), out_.dtype, to);
      } else if (in_double_) {
        std::array<double, run_elements> x;
        compute(at, count, x.data());
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
          write_element(to + i * size_of(out_.dtype), out_.dtype, x[i]);
      } else {
        std::array<float, run_elements> x;
        compute_floats(at, count, x.data());
        epilogue_.finish(x.data(), at, count);
        store_elements(x.data(), static_cast<std::uint64_t>(count), out_.dtype, to);
      }
    }
  }

 private:
  // True if rounding an f32 result to f16 or bf16 can differ from rounding the exact result. For +,
  // -, *, / and sqrt of operands of the output's dtype it cannot: 24 bits >= 2 * 11 + 2.
  bool needs_double(const DataOp& op) const {
    if (size_of(out_.dtype) != 2) return false;
    if (op_ == MathOp::fma) return true;
    for (const TensorValue& input : op.inputs) {
      if (input.dtype != out_.dtype) return true;
    }
    for (const MathOperand& operand : std::get<MathParams>(op.params).operands) {
      if (operand.input < 0 && rounded_to(out_.dtype, operand.immediate) != operand.immediate)
        return true;
    }
    return false;
  }

  void compute_integers(std::int64_t begin, std::int64_t count, std::int64_t* x) const {
    compute(begin, count, x);
    for (std::int64_t i = 0; i < count; ++i) x[i] = wrapped(x[i], *integer_dtype_);
  }

  void compute_floats(std::int64_t begin, std::int64_t count, float* x) const {
    if (!integer_dtype_) return compute(begin, count, x);
    std::array<std::int64_t, run_elements> integers;  // integers only, with an epilogue
    compute_integers(begin, count, integers.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      x[i] = static_cast<float>(integers[i]);
  }

  template <class T>
  void compute(std::int64_t begin, std::int64_t count, T* x) const {
    std::array<T, run_elements> y, z;
    if (op_ == MathOp::where) {
      read_condition(begin, count, x);
    } else {
      operands_[0].read(begin, count, x);
    }
    if (operands_.size() > 1) operands_[1].read(begin, count, y.data());
    if (operands_.size() > 2) operands_[2].read(begin, count, z.data());
    apply_function(op_, x, y.data(), z.data(), count);
  }

  // 0 or 1 for each element: a condition among integers may have fractions.
  template <class T>
  void read_condition(std::int64_t begin, std::int64_t count, T* x) const {
    std::array<float, run_elements> condition;
    operands_[0].read(begin, count, condition.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) x[i] = T(condition[i] != 0);
  }

  MathOp op_;
  OutputValue out_;
  std::int64_t elements_;
  Epilogue epilogue_;
  std::vector<Operand> operands_;
  bool in_double_ = false;
  std::optional<DType> integer_dtype_;  // dtype of the arithmetic, if it uses integers
};

// Random numbers of an integer operand, the offsets.
class RandomJob : public Job {
 public:
  RandomJob(const DataOp& op, const ValueLookup& lookup)
      : Job(op), params_(std::get<MathParams>(op.params)), dtype_(op.outputs[0].dtype),
        offsets_(static_cast<std::size_t>(op.outputs[0].shape.elements())) {
    const TensorValue& offsets = op.inputs.at(0);
    load_elements(dense_bytes(offsets, lookup).data(), offsets.dtype, offsets_.size(),
                  offsets_.data());
  }

  std::size_t blocks() const override { return 1; }

  void run_block(std::size_t) override {
    if (params_.op == MathOp::randint) {
      std::vector<std::int64_t> integers;
      for (const std::int64_t offset : offsets_)
        integers.push_back(static_cast<std::int32_t>(words(offset)[0]));
      return store_elements(integers.data(), integers.size(), dtype_, output_.get());
    }
    std::vector<float> floats;
    for (const std::int64_t offset : offsets_) {
      const PhiloxWords random = words(offset);
      const float u1 = uniform_float(random[0]);
      floats.push_back(params_.op == MathOp::rand ? u1
                                                  : normal_float(u1, uniform_float(random[1])));
    }
    store_elements(floats.data(), floats.size(), dtype_, output_.get());
  }

 private:
  PhiloxWords words(std::int64_t offset) const {
    return philox4x32({static_cast<std::uint32_t>(offset), 0, 0, 0}, params_.seed, params_.rounds);
  }

  const MathParams& params_;
  DType dtype_;
  std::vector<std::int64_t> offsets_;
};

}  // namespace

std::unique_ptr<Job> make_elementwise_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<ElementwiseJob>(op, lookup);
}

std::unique_ptr<Job> make_random_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<RandomJob>(op, lookup);
}

}  // namespace kernbench
