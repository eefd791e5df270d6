// What kernels have said about values that phase 2 has computed (tl.device_print,
// tl.device_assert).
#pragma once

#include <string>
#include <vector>

#include "models/data/functional_model.h"
#include "platform/phase2/data_executor.h"

namespace kernbench {

std::vector<ByteImage> images_of(const std::vector<DeviceMessage>& messages);

// A line each, in the order of the messages.
struct DeviceMessageTexts {
  std::vector<std::string> prints;
  std::vector<std::string> failures;  // assertions that do not hold
};
DeviceMessageTexts texts_of(const std::vector<DeviceMessage>& messages,
                            const DataExecutor& executor);

}  // namespace kernbench
