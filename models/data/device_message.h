// Messages of kernels about values: tl.device_print, and tl.device_assert with a false condition.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/call_site.h"
#include "models/base/node_id.h"
#include "models/base/units.h"
#include "models/data/tensor_value.h"

namespace kernbench {

struct DeviceMessage {
  enum class Kind : std::uint8_t { print, assertion };
  Kind kind = Kind::print;
  Fs time = 0;
  NodeId who = no_node;  // PE_CPU
  std::string pe, kernel;
  std::string text;  // prefix, or message of the assertion
  TensorValue value;
  CallSite site = {};
};

bool comes_before(const DeviceMessage& a, const DeviceMessage& b);  // by time, then PE

// "f32{2, 2}: [1, 2, 3, 4]"; long blocks show their first elements.
std::string values_text(const Shape& shape, DType dtype, const std::vector<double>& values);
// Elements of a condition that are 0: "message; element {1, 3} of i8{2, 4} is 0, and 2 more".
struct FailedElements {
  std::string text;
  std::uint64_t count = 0;
};
// Returns nullopt if no element is 0.
std::optional<FailedElements> failed_elements(const std::string& message, const Shape& shape,
                                              DType dtype, const std::vector<double>& values);

// --- after phase 2 has computed the values ---

std::vector<ByteImage> images_of(const std::vector<DeviceMessage>& messages);

// tl.device_assert with elements that are 0.
struct FailedAssertion {
  std::string pe, kernel;
  Fs time = 0;       // time of the call
  std::string line;  // line of the call: "k.cpp:41"; empty: not known
  FailedElements elements;

  std::string text() const;
};

// Results in the order of the messages.
struct EvaluatedMessages {
  std::vector<std::string> prints;  // one line each
  std::vector<FailedAssertion> failed_assertions;
};
// `bytes_of`: returns the dense elements of a computed value.
EvaluatedMessages evaluated(
    const std::vector<DeviceMessage>& messages,
    const std::function<std::vector<std::byte>(const TensorValue&)>& bytes_of);

}  // namespace kernbench
