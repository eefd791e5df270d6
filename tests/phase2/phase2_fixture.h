// Tensors from doubles, results as doubles, and a fixed stream of pseudo-random numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "models/data/elements.h"
#include "models/data/functional_model.h"
#include "platform/phase2/data_executor.h"
#include "platform/phase2/verify.h"

namespace kernbench {

inline TensorValue tensor(const std::vector<double>& elements, const Shape& shape, DType dtype) {
  std::vector<std::byte> bytes(elements.size() * size_of(dtype));
  for (std::size_t i = 0; i < elements.size(); ++i)
    write_element(bytes.data() + i * size_of(dtype), dtype, elements[i]);
  return FunctionalModel::constant(bytes.data(), shape, dtype);
}

inline std::vector<double> doubles(const std::vector<std::byte>& bytes, DType dtype) {
  std::vector<double> elements(bytes.size() / size_of(dtype));
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i] = read_element(bytes.data() + i * size_of(dtype), dtype);
  return elements;
}

// The elements as the tensor holds them: after rounding to its dtype.
inline std::vector<double> doubles(const TensorValue& value) {
  return doubles(dense_bytes(value), value.dtype);
}

inline std::vector<double> result_of(FunctionalModel& functional_model, const TensorValue& value,
                                     unsigned threads = 1) {
  DataExecutor executor(functional_model, threads);
  executor.run();
  return doubles(executor.bytes(value), value.dtype);
}

inline std::vector<double> evaluated(MathParams params, const std::vector<TensorValue>& inputs) {
  FunctionalModel functional_model;
  const TensorValue value = functional_model.math(std::move(params), inputs).value;
  return result_of(functional_model, value);
}

inline MathParams math_of(MathOp op) {
  MathParams params;
  params.op = op;
  return params;
}

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2 + 1) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  std::vector<double> uniform(std::int64_t count, double low, double high) {
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(uniform(low, high));
    return numbers;
  }
  std::vector<double> integers(std::int64_t count, int low, int high) {  // both inclusive
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i)
      numbers.push_back(std::floor(uniform(low, high + 1.0)));
    return numbers;
  }

 private:
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace kernbench
