#include "platform/phase2/device_messages.h"

#include <fmt/format.h>

#include <optional>

#include "models/data/elements.h"

namespace kernbench {
namespace {

std::vector<double> values_of(const DeviceMessage& message, const DataExecutor& executor) {
  const std::vector<std::byte> bytes = executor.bytes(message.value);
  const std::uint64_t size = size_of(message.value.dtype);
  std::vector<double> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = read_element(bytes.data() + i * size, message.value.dtype);
  return values;
}

}  // namespace

std::vector<ByteImage> images_of(const std::vector<DeviceMessage>& messages) {
  std::vector<ByteImage> images;
  for (const DeviceMessage& message : messages) images.push_back(message.value.image);
  return images;
}

DeviceMessageTexts texts_of(const std::vector<DeviceMessage>& messages,
                            const DataExecutor& executor) {
  DeviceMessageTexts texts;
  for (const DeviceMessage& message : messages) {
    const std::string where =
        fmt::format("{} at {}: kernel '{}': ", message.pe, format_ns(message.time), message.kernel);
    const std::vector<double> values = values_of(message, executor);
    const Shape& shape = message.value.shape;
    if (message.kind == DeviceMessage::Kind::print) {
      texts.prints.push_back(where + message.text +
                             values_text(shape, message.value.dtype, values));
      continue;
    }
    if (const auto failure = assertion_failure(message.text, shape, message.value.dtype, values))
      texts.failures.push_back(where + *failure);
  }
  return texts;
}

}  // namespace kernbench
