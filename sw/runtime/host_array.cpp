#include "sw/runtime/host_array.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "sw/tl/dtypes.h"

namespace kernbench {
namespace {

double element(const std::vector<std::uint8_t>& bytes, DType dtype, std::int64_t index) {
  return read_element(reinterpret_cast<const std::byte*>(bytes.data()) +
                          static_cast<std::uint64_t>(index) * size_of(dtype),
                      dtype);
}

constexpr std::int64_t shown = 3;  // at each end of a long axis

void append(std::string& text, const HostArray& array, std::size_t axis, std::int64_t first) {
  if (axis == array.shape().rank()) {
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", element(array.bytes(), array.dtype(), first));
    text += number;
    return;
  }
  std::int64_t stride = 1;
  for (std::size_t inner = axis + 1; inner < array.shape().rank(); ++inner)
    stride *= array.shape()[inner];
  const std::int64_t extent = array.shape()[axis];
  text += "[";
  for (std::int64_t i = 0; i < extent; ++i) {
    if (i > 0) text += ", ";
    if (extent > 2 * shown + 1 && i == shown) {
      text += "..., ";
      i = extent - shown;
    }
    append(text, array, axis + 1, first + i * stride);
  }
  text += "]";
}

}  // namespace

HostArray::HostArray(const Shape& shape, DType dtype, const std::vector<double>& values)
    : shape_(shape), dtype_(dtype) {
  if (static_cast<std::int64_t>(values.size()) != shape.elements()) {
    throw UsageError(
        fmt::format("array {}: {} values given", describe(dtype, shape), values.size()));
  }
  std::vector<std::uint8_t> bytes(values.size() * size_of(dtype));
  auto* at = reinterpret_cast<std::byte*>(bytes.data());
  for (const double value : values) {
    write_element(at, dtype, value);
    at += size_of(dtype);
  }
  bytes_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

HostArray::HostArray(const Shape& shape, DType dtype, std::vector<std::uint8_t> bytes)
    : shape_(shape), dtype_(dtype) {
  if (bytes.size() != static_cast<std::uint64_t>(shape.elements()) * size_of(dtype)) {
    throw UsageError(fmt::format("array {}: {} bytes given", describe(dtype, shape), bytes.size()));
  }
  bytes_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

HostArray HostArray::full(const Shape& shape, DType dtype, double value) {
  const std::uint64_t size = size_of(dtype);
  std::array<std::byte, 8> element{};
  write_element(element.data(), dtype, value);
  std::vector<std::uint8_t> bytes(static_cast<std::uint64_t>(shape.elements()) * size);
  for (std::uint64_t at = 0; at < bytes.size(); at += size)
    std::memcpy(bytes.data() + at, element.data(), size);
  return {shape, dtype, std::move(bytes)};
}

HostArray HostArray::random(const Shape& shape, DType dtype, std::mt19937_64& generator) {
  const std::int64_t reach = is_float(dtype) ? 16 : 8;
  const std::uint64_t size = size_of(dtype);
  std::vector<std::uint8_t> bytes(static_cast<std::uint64_t>(shape.elements()) * size);
  for (std::uint64_t at = 0; at < bytes.size(); at += size) {
    const auto draw =
        static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(2 * reach + 1)) - reach;
    const double value =
        is_float(dtype) ? static_cast<double>(draw) / 16 : static_cast<double>(draw);
    write_element(reinterpret_cast<std::byte*>(bytes.data() + at), dtype, value);
  }
  return {shape, dtype, std::move(bytes)};
}

std::vector<double> HostArray::values() const {
  std::vector<double> values(static_cast<std::size_t>(shape_.elements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = element(*bytes_, dtype_, static_cast<std::int64_t>(i));
  return values;
}

double HostArray::at(const std::vector<std::int64_t>& index) const {
  std::int64_t flat = 0;
  bool inside = index.size() == shape_.rank();
  for (std::size_t axis = 0; inside && axis < index.size(); ++axis) {
    inside = index[axis] >= 0 && index[axis] < shape_[axis];
    flat = flat * shape_[axis] + index[axis];
  }
  if (!inside) {
    std::string text;
    for (const std::int64_t i : index) text += (text.empty() ? "" : ", ") + std::to_string(i);
    throw UsageError(fmt::format("array {}: no element {{{}}}", describe(dtype_, shape_), text));
  }
  return element(*bytes_, dtype_, flat);
}

std::string HostArray::str() const {
  std::string text = describe(dtype_, shape_) + " ";
  append(text, *this, 0, 0);
  return text;
}

}  // namespace kernbench
