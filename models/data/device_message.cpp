#include "models/data/device_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace kernbench {
namespace {

constexpr std::size_t elements_told = 64;

std::string described(DType dtype, const Shape& shape) {
  return std::string(name_of(dtype)) + shape.str();
}

std::string index_text(std::size_t element, const Shape& shape) {
  auto rest = static_cast<std::int64_t>(element);
  std::string text;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    text = std::to_string(rest % shape[axis]) + (text.empty() ? "" : ", ") + text;
    rest /= shape[axis];
  }
  return "{" + text + "}";
}

}  // namespace

bool comes_before(const DeviceMessage& a, const DeviceMessage& b) {
  return std::tie(a.time, a.who) < std::tie(b.time, b.who);
}

std::string values_text(const Shape& shape, DType dtype, const std::vector<double>& values) {
  const std::size_t told = std::min(values.size(), elements_told);
  std::string list;
  for (std::size_t i = 0; i < told; ++i)
    list += fmt::format("{}{:g}", i == 0 ? "" : ", ", values[i]);
  if (told < values.size()) list += fmt::format(", ... {} elements", values.size());
  return fmt::format("{}: [{}]", described(dtype, shape), list);
}

std::optional<FailedElements> failed_elements(const std::string& message, const Shape& shape,
                                              DType dtype, const std::vector<double>& values) {
  const auto found = std::find(values.begin(), values.end(), 0.0);
  if (found == values.end()) return std::nullopt;
  const auto element = static_cast<std::size_t>(found - values.begin());
  const auto failed = static_cast<std::uint64_t>(std::count(values.begin(), values.end(), 0.0));
  return FailedElements{fmt::format("{}; element {} of {} is 0{}", message,
                                    index_text(element, shape), described(dtype, shape),
                                    failed == 1 ? "" : fmt::format(", and {} more", failed - 1)),
                        failed};
}

}  // namespace kernbench
