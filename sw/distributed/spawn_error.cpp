#include "sw/distributed/spawn_error.h"

namespace kernbench {
namespace {

std::string text_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

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

std::string text_of(const std::map<int, std::exception_ptr>& causes) {
  std::string text = causes.size() == 1 ? "a rank has failed" : std::to_string(causes.size()) + " ranks have failed";
  for (const auto& [rank, cause] : causes) text += "\n  rank " + std::to_string(rank) + ": " + text_of(cause);
  return text;
}

}  // namespace

SpawnError::SpawnError(std::map<int, std::exception_ptr> causes) : Error(text_of(causes)), causes_(std::move(causes)) {}

bool SpawnError::wrong_usage() const {
  for (const auto& entry : causes_) {
    if (!is_wrong_usage(entry.second)) return false;
  }
  return true;
}

}  // namespace kernbench
