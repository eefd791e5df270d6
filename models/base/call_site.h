// CallSite: a line of the user's program, for error messages. As a defaulted last parameter it is
// the line of the call:
//
//   Handle load(const Ptr& ptr, ..., CallSite site = CallSite::here());
#pragma once

#include <cstring>
#include <string>

namespace kernbench {

struct CallSite {
  const char* file = "";  // a literal; empty: not known
  int line = 0;

  static constexpr CallSite here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  bool known() const { return *file != '\0'; }
  // File name without its folders. Allocates nothing.
  const char* name() const {
    const char* slash = std::strrchr(file, '/');
    return slash == nullptr ? file : slash + 1;
  }
  std::string str() const {  // "k.cpp:41"
    return known() ? std::string(name()) + ':' + std::to_string(line) : std::string();
  }
  // Suffix for the name of a call: " (k.cpp:41)", or nothing.
  std::string in_brackets() const { return known() ? " (" + str() + ')' : std::string(); }
};

}  // namespace kernbench
