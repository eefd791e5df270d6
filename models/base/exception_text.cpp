#include "models/base/exception_text.h"

#include <new>

#include "models/base/errors.h"

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

std::string code_of(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known == nullptr ? Error("").code() : known->code();
}

std::string code_of(const std::exception_ptr& cause) {
  try {
    if (cause) std::rethrow_exception(cause);
  } catch (const std::exception& error) {
    return code_of(error);
  } catch (...) {
  }
  return Error("").code();
}

int exit_status_of(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known == nullptr ? exit_failed : known->exit_status();
}

int exit_status_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& error) {
    return exit_status_of(error);
  } catch (...) {
    return exit_failed;
  }
}

}  // namespace kernbench
