#include "models/base/errors.h"

#include <fmt/format.h>

#include "models/base/quote.h"

namespace kernbench {
namespace {

std::string format_issues(const std::vector<ConfigIssue>& issues) {
  std::string text;
  for (const ConfigIssue& issue : issues) {
    if (!text.empty()) text += '\n';
    text += printable(issue.file);
    if (issue.line > 0)
      text += ':' + std::to_string(issue.line) + ':' + std::to_string(issue.column);
    text += ": ";
    if (!issue.key.empty()) text += fmt::format("{}: ", printable(issue.key));
    text += issue.message;
  }
  return text;
}

}  // namespace

ConfigError::ConfigError(std::vector<ConfigIssue> issues)
    : Error(format_issues(issues)), issues_(std::move(issues)) {}

}  // namespace kernbench
