#include "models/base/exception_text.h"

namespace kernbench {

std::string text_of(const std::exception_ptr& cause) {
  if (!cause) return "";
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace kernbench
