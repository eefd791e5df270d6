#include "sw/distributed/spawn_error.h"

#include "models/base/exception_text.h"

namespace kernbench {
namespace {

bool is_wrong_usage(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const UsageError&) {
    return true;
  } catch (const ConfigError&) {
    return true;
  } catch (...) {
    return false;
  }
}

std::string listed(const std::map<int, std::exception_ptr>& causes) {
  std::string text = causes.size() == 1 ? "a rank has failed"
                                        : std::to_string(causes.size()) + " ranks have failed";
  for (const auto& [rank, cause] : causes)
    text += "\n  rank " + std::to_string(rank) + ": " + text_of(cause);
  return text;
}

}  // namespace

SpawnError::SpawnError(std::map<int, std::exception_ptr> causes)
    : Error(listed(causes)), causes_(std::move(causes)) {}

bool SpawnError::wrong_usage() const {
  for (const auto& entry : causes_) {
    if (!is_wrong_usage(entry.second)) return false;
  }
  return true;
}

}  // namespace kernbench
