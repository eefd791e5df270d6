// randint, rand and randn: numbers that follow from a seed and the offsets, those of Triton's
// functions of the same names. The counter is (offset, 0, 0, 0), the key the 64 bits of the seed.
#include <algorithm>
#include <cmath>
#include <vector>

#include "platform/phase2/element_arrays.h"
#include "platform/phase2/job.h"
#include "platform/phase2/philox.h"

namespace kernbench {
namespace {

// In [0, 1): the sign is folded away, and the scale is just below 2^-31, so that the largest
// integer stays below 1.
float uniform_float(std::uint32_t word) {
  const std::uint32_t folded = (word & 0x80000000u) != 0 ? ~word : word;
  return static_cast<float>(static_cast<std::int32_t>(folded)) * 4.6566127342e-10f;
}

// Box and Muller.
float normal_float(float u1, float u2) {
  const float angle = 6.283185307179586f * u2;
  return std::sqrt(-2.0f * std::log(std::max(1.0e-7f, u1))) * std::cos(angle);
}

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

std::unique_ptr<Job> make_random_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<RandomJob>(op, lookup);
}

}  // namespace kernbench
