// Declared parameter of a bench or a component, for lists.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/base/parameter.h"

namespace kernbench {

inline std::string default_text(const Parameter& parameter) {
  if (parameter.is_from_machine()) return "of the machine";
  return parameter.default_value() ? format_value(*parameter.default_value()) : "required";
}

inline nlohmann::ordered_json parameter_json(const Parameter& parameter) {
  nlohmann::ordered_json json;
  json["name"] = parameter.name();
  json["description"] = parameter.description();
  json["unit"] = parameter.unit();
  json["allowed"] = parameter.allowed();
  json["default"] = parameter.default_value()
                        ? nlohmann::ordered_json(format_value(*parameter.default_value()))
                        : nlohmann::ordered_json();
  json["of_the_machine"] = parameter.is_from_machine();
  json["source"] = parameter.source();
  return json;
}

}  // namespace kernbench
