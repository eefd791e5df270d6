// JSON output of the program: times are exact decimals of their femtoseconds.
//
// A double does not hold every count of femtoseconds, and the nearest double is not always printed
// as the intended decimal. ns_json() makes a number where the double prints as exactly that
// decimal, and otherwise keeps the femtoseconds themselves in a node of its own kind. Only
// json_text() can write such a node, so all JSON text is written by json_text().
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "models/base/units.h"

namespace kernbench {

// Nanoseconds; the second function is for differences.
nlohmann::ordered_json ns_json(Fs t);
nlohmann::ordered_json signed_ns_json(std::int64_t fs);
// Value of such a number, or of any other, for display.
double to_double(const nlohmann::ordered_json& number);

// Same layout as nlohmann's dump(): on one line, or with `indent` blanks for each level. Bytes of
// texts that are not valid UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace kernbench
