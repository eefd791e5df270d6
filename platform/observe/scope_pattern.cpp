#include "platform/observe/scope_pattern.h"

#include <fnmatch.h>

namespace kernbench {

bool matches_name(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

bool matches_scope(const std::string& pattern, const std::string& name) {
  for (std::size_t end = name.size(); end != std::string::npos;
       end = end == 0 ? std::string::npos : name.rfind('.', end - 1)) {
    if (matches_name(pattern, name.substr(0, end))) return true;
  }
  return false;
}

}  // namespace kernbench
