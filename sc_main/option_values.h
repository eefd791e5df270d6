// Numbers on the command line, exact as written. Both throw UsageError that names the option.
#pragma once

#include <stdexcept>
#include <string>

#include "models/base/errors.h"
#include "models/base/units.h"

namespace kernbench {

inline Rational decimal_option(const char* option, const std::string& text) {
  try {
    return Rational::parse(text);
  } catch (const std::invalid_argument&) {
    throw UsageError(std::string(option) + " '" + text + "' is not a decimal number");
  }
}

// In nanoseconds.
inline Fs time_option(const char* option, const std::string& text) {
  try {
    return ns_to_fs(Rational::parse(text));
  } catch (const std::exception&) {
    throw UsageError(std::string(option) + " '" + text + "' is not a time in ns, e.g. 2500 or 12.5");
  }
}

}  // namespace kernbench
