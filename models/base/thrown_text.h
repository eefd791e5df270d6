// Text of an exception of any class that is not a std::exception.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

namespace kernbench {

// Call in a catch (...): "an exception that is not a std::exception (of type int)", or with its
// text if it is one.
inline std::string text_of_other_exception() {
  const std::string what = "an exception that is not a std::exception";
  try {
    throw;
  } catch (const std::string& text) {
    return what + " ('" + text + "')";
  } catch (const char* text) {
    return what + " ('" + text + "')";
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    if (type == nullptr) return what;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr), std::free);
    return what + " (of type " + (name == nullptr ? type->name() : name.get()) + ")";
  }
}

}  // namespace kernbench
