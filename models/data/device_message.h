// Messages of kernels about values: tl.device_print, and tl.device_assert that does not hold.
#pragma once

#include <cstdint>
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
  std::string text;  // prefix; what an assertion says
  TensorValue value;
  CallSite site = {};
};

bool comes_before(const DeviceMessage& a, const DeviceMessage& b);  // by time, then PE

// "f32{2, 2}: [1, 2, 3, 4]"; of many elements the first ones.
std::string values_text(const Shape& shape, DType dtype, const std::vector<double>& values);
// Of a condition with elements that are 0: "message; element {1, 3} of i8{2, 4} is 0, and 2 more".
struct FailedElements {
  std::string text;
  std::uint64_t count = 0;
};
// None: all of them hold.
std::optional<FailedElements> failed_elements(const std::string& message, const Shape& shape,
                                              DType dtype, const std::vector<double>& values);

}  // namespace kernbench
