#include "platform/phase2/element_arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "models/data/elements.h"

namespace kernbench {
namespace {

template <class T>
T read_as(const std::byte* from, std::uint64_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof value);
  return value;
}

template <class T>
void write_as(std::byte* to, std::uint64_t index, T value) {
  std::memcpy(to + index * sizeof(T), &value, sizeof value);
}

template <class Int>
Int saturated(float value) {
  if (std::isnan(value)) return 0;
  const double rounded = std::nearbyint(static_cast<double>(value));
  const double low = std::numeric_limits<Int>::min(), high = std::numeric_limits<Int>::max();
  return static_cast<Int>(std::min(std::max(rounded, low), high));
}

template <class Int>
Int saturated(std::int64_t value) {
  return static_cast<Int>(
      std::min<std::int64_t>(std::max<std::int64_t>(value, std::numeric_limits<Int>::min()),
                             std::numeric_limits<Int>::max()));
}

// An f16 conversion takes a dozen integer operations, so it uses the wide registers of the
// processor if available. The bits are the same.
inline __attribute__((always_inline)) void decode_f16(const std::byte* from, std::uint64_t count,
                                                      float* to) {
  for (std::uint64_t i = 0; i < count; ++i) to[i] = f16_to_float(read_as<std::uint16_t>(from, i));
}

inline __attribute__((always_inline)) void encode_f16(const float* from, std::uint64_t count,
                                                      std::byte* to) {
  for (std::uint64_t i = 0; i < count; ++i) write_as(to, i, float_to_f16(from[i]));
}

#ifdef __x86_64__
__attribute__((target("avx2"))) void decode_f16_avx2(const std::byte* from, std::uint64_t count,
                                                     float* to) {
  decode_f16(from, count, to);
}
__attribute__((target("avx2"))) void encode_f16_avx2(const float* from, std::uint64_t count,
                                                     std::byte* to) {
  encode_f16(from, count, to);
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
#endif

void decode_f16_best(const std::byte* from, std::uint64_t count, float* to) {
#ifdef __x86_64__
  if (has_avx2()) return decode_f16_avx2(from, count, to);
#endif
  decode_f16(from, count, to);
}

void encode_f16_best(const float* from, std::uint64_t count, std::byte* to) {
#ifdef __x86_64__
  if (has_avx2()) return encode_f16_avx2(from, count, to);
#endif
  encode_f16(from, count, to);
}

}  // namespace

FloatArray make_floats(std::uint64_t count) {
  return FloatArray(static_cast<float*>(
      ::operator new[](std::max<std::uint64_t>(1, count) * sizeof(float), std::align_val_t{64})));
}

void load_elements(const std::byte* from, DType dtype, std::uint64_t count, float* to) {
  switch (dtype) {
    case DType::f16:
      decode_f16_best(from, count, to);
      break;
    case DType::bf16:
      for (std::uint64_t i = 0; i < count; ++i)
        to[i] = bf16_to_float(read_as<std::uint16_t>(from, i));
      break;
    case DType::f32:
      std::memcpy(to, from, count * sizeof(float));
      break;
    case DType::i8:
      for (std::uint64_t i = 0; i < count; ++i) to[i] = read_as<std::int8_t>(from, i);
      break;
    case DType::i32:
      for (std::uint64_t i = 0; i < count; ++i)
        to[i] = static_cast<float>(read_as<std::int32_t>(from, i));
      break;
  }
}

void load_elements(const std::byte* from, DType dtype, std::uint64_t count, std::int64_t* to) {
  for (std::uint64_t i = 0; i < count; ++i) {
    to[i] = dtype == DType::i8 ? std::int64_t{read_as<std::int8_t>(from, i)}
                               : std::int64_t{read_as<std::int32_t>(from, i)};
  }
}

void store_elements(const float* from, std::uint64_t count, DType dtype, std::byte* to) {
  switch (dtype) {
    case DType::f16:
      encode_f16_best(from, count, to);
      break;
    case DType::bf16:
      for (std::uint64_t i = 0; i < count; ++i) write_as(to, i, float_to_bf16(from[i]));
      break;
    case DType::f32:
      std::memcpy(to, from, count * sizeof(float));
      break;
    case DType::i8:
      for (std::uint64_t i = 0; i < count; ++i) write_as(to, i, saturated<std::int8_t>(from[i]));
      break;
    case DType::i32:
      for (std::uint64_t i = 0; i < count; ++i) write_as(to, i, saturated<std::int32_t>(from[i]));
      break;
  }
}

void store_elements(const std::int64_t* from, std::uint64_t count, DType dtype, std::byte* to) {
  const std::uint64_t size = size_of(dtype);
  for (std::uint64_t i = 0; i < count; ++i) {
    switch (dtype) {
      case DType::i8:
        write_as(to, i, saturated<std::int8_t>(from[i]));
        break;
      case DType::i32:
        write_as(to, i, saturated<std::int32_t>(from[i]));
        break;
      default:
        write_element(to + i * size, dtype, static_cast<double>(from[i]));
    }
  }
}

FloatArray floats_of(const TensorValue& value, const ValueLookup& lookup) {
  const auto count = static_cast<std::uint64_t>(value.shape.elements());
  FloatArray floats = make_floats(count);
  if (value.dense()) {
    const SharedBytes bytes = value.image.flatten(lookup);
    load_elements(bytes.get(), value.dtype, count, floats.get());
  } else {
    const std::vector<std::byte> bytes = dense_bytes(value, lookup);
    load_elements(bytes.data(), value.dtype, count, floats.get());
  }
  return floats;
}

}  // namespace kernbench
