// What kernels have said about values that phase 2 has computed (tl.device_print,
// tl.device_assert).
#pragma once

#include <string>
#include <vector>

#include "models/data/functional_model.h"
#include "platform/phase2/data_executor.h"

namespace kernbench {

std::vector<ByteImage> images_of(const std::vector<DeviceMessage>& messages);
// Prints to standard error, in their order; returns the assertions that do not hold, as text.
std::vector<std::string> report_device_messages(const std::vector<DeviceMessage>& messages,
                                                const DataExecutor& executor);

}  // namespace kernbench
