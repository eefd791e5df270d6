#include "models/base/exception_text.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <new>

#include "models/base/errors.h"

namespace kernbench {
namespace {

std::string text_of_refusal() {
  ::rlimit space{};
  const bool limited = ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
  return "out of memory: the host refuses an allocation" +
         (limited ? fmt::format(" (ulimit -v is {} MiB)", space.rlim_cur >> 20U) : "");
}

}  // namespace

std::string text_of(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? text_of_refusal() : error.what();
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
