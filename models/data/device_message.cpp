#include "models/data/device_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/data/elements.h"

namespace kernbench {
namespace {

constexpr std::size_t elements_listed = 64;

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

std::vector<double> values_of(const DeviceMessage& message, const std::vector<std::byte>& bytes) {
  const std::uint64_t size = size_of(message.value.dtype);
  std::vector<double> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = read_element(bytes.data() + i * size, message.value.dtype);
  return values;
}

std::string place(const std::string& pe, Fs time, const std::string& kernel) {
  return fmt::format("{} at {}: kernel '{}': ", pe, format_ns(time), kernel);
}

}  // namespace

bool comes_before(const DeviceMessage& a, const DeviceMessage& b) {
  return std::tie(a.time, a.who) < std::tie(b.time, b.who);
}

std::string values_text(const Shape& shape, DType dtype, const std::vector<double>& values) {
  const std::size_t listed = std::min(values.size(), elements_listed);
  std::string list;
  for (std::size_t i = 0; i < listed; ++i)
    list += fmt::format("{}{:g}", i == 0 ? "" : ", ", values[i]);
  if (listed < values.size()) list += fmt::format(", ... {} elements", values.size());
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

std::vector<ByteImage> images_of(const std::vector<DeviceMessage>& messages) {
  std::vector<ByteImage> images;
  for (const DeviceMessage& message : messages) images.push_back(message.value.image);
  return images;
}

std::string FailedAssertion::text() const {
  return fmt::format("{}tl.device_assert{}: {}", place(pe, time, kernel),
                     line.empty() ? "" : " (" + line + ')', elements.text);
}

EvaluatedMessages evaluated(
    const std::vector<DeviceMessage>& messages,
    const std::function<std::vector<std::byte>(const TensorValue&)>& bytes_of) {
  EvaluatedMessages found;
  for (const DeviceMessage& message : messages) {
    const std::vector<double> values = values_of(message, bytes_of(message.value));
    const Shape& shape = message.value.shape;
    const DType dtype = message.value.dtype;
    if (message.kind == DeviceMessage::Kind::print) {
      found.prints.push_back(place(message.pe, message.time, message.kernel) + message.text +
                             values_text(shape, dtype, values));
    } else if (auto failed = failed_elements(message.text, shape, dtype, values)) {
      found.failed_assertions.push_back(
          {message.pe, message.kernel, message.time, message.site.str(), *std::move(failed)});
    }
  }
  return found;
}

}  // namespace kernbench
