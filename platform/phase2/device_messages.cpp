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

std::string place(const std::string& pe, Fs time, const std::string& kernel) {
  return fmt::format("{} at {}: kernel '{}': ", pe, format_ns(time), kernel);
}

}  // namespace

std::vector<ByteImage> images_of(const std::vector<DeviceMessage>& messages) {
  std::vector<ByteImage> images;
  for (const DeviceMessage& message : messages) images.push_back(message.value.image);
  return images;
}

std::string FailedAssertion::text() const {
  return fmt::format("{}tl.device_assert{}: {}", place(pe, time, kernel),
                     line.empty() ? "" : " (" + line + ')', elements.text);
}

EvaluatedMessages evaluated(const std::vector<DeviceMessage>& messages,
                            const DataExecutor& executor) {
  EvaluatedMessages found;
  for (const DeviceMessage& message : messages) {
    const std::vector<double> values = values_of(message, executor);
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
