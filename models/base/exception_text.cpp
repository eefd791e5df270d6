#include "models/base/exception_text.h"

#include <new>

namespace kernbench {

std::string text_of(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr
             ? "out of memory: the host refuses an allocation"
             : error.what();
}

std::string text_of(const std::exception_ptr& cause) {
  if (!cause) return "";
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& error) {
    return text_of(error);
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace kernbench
