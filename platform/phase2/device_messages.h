// What kernels have said about values that phase 2 has computed (tl.device_print,
// tl.device_assert).
#pragma once

#include <string>
#include <vector>

#include "models/data/functional_model.h"
#include "platform/phase2/data_executor.h"

namespace kernbench {

std::vector<ByteImage> images_of(const std::vector<DeviceMessage>& messages);

// tl.device_assert with elements that are 0.
struct FailedAssertion {
  std::string pe, kernel;
  Fs time = 0;       // of the call
  std::string line;  // of the call: "k.cpp:41"; empty: not known
  FailedElements elements;

  std::string text() const;
};

// In the order of the messages.
struct EvaluatedMessages {
  std::vector<std::string> prints;  // a line each
  std::vector<FailedAssertion> failed_assertions;
};
EvaluatedMessages evaluated(const std::vector<DeviceMessage>& messages,
                            const DataExecutor& executor);

}  // namespace kernbench
