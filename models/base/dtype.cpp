#include "models/base/dtype.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

struct DTypeInfo {
  std::string_view name;
  std::uint64_t size;
};

constexpr std::int64_t most_elements =
    std::numeric_limits<std::int64_t>::max() / 4;  // their bytes can be counted, too

constexpr std::array<DTypeInfo, 5> dtype_table{
    {{"f16", 2}, {"bf16", 2}, {"f32", 4}, {"i8", 1}, {"i32", 4}}};

}  // namespace

std::uint64_t size_of(DType dtype) { return dtype_table[static_cast<std::size_t>(dtype)].size; }

std::string_view name_of(DType dtype) { return dtype_table[static_cast<std::size_t>(dtype)].name; }

DType parse_dtype(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < dtype_table.size(); ++i) {
    if (dtype_table[i].name == name) return static_cast<DType>(i);
    known += (i == 0 ? "" : ", ") + std::string(dtype_table[i].name);
  }
  throw UsageError(fmt::format("unknown dtype {} (known: {})", quote(name), known));
}

void Shape::check() const {
  for (const std::int64_t extent : extents_) {
    if (extent < 0) throw UsageError(fmt::format("shape {}: no extent may be negative", str()));
  }
}

std::int64_t Shape::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents_) {
    if (__builtin_mul_overflow(product, extent, &product) || product > most_elements) {
      throw UsageError(fmt::format("shape {} has too many elements", str()));
    }
  }
  return product;
}

std::string Shape::str() const {
  std::string text = "{";
  for (std::size_t i = 0; i < extents_.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(extents_[i]);
  return text + "}";
}

}  // namespace kernbench
