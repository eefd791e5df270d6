// Code of others that runs outside of any process: global objects and registration of a plug-in,
// constructors of components. A fault there is reported in the words of its scope.
#pragma once

#include <string_view>

#include "models/base/errors.h"
#include "platform/assembly/fixed_text.h"

namespace kernbench {

// In force while it lives; they may be nested.
class ForeignCode {
 public:
  // `says`: the beginning of the message, up to the fault: "plug-in 'a.so': its registration has
  // failed: ". `status`: exit status of the program.
  explicit ForeignCode(std::string_view says, int status = exit_failed);
  ~ForeignCode() { current_ = outer_; }
  ForeignCode(const ForeignCode&) = delete;
  ForeignCode& operator=(const ForeignCode&) = delete;

  static const ForeignCode* current() { return current_; }  // null: none
  const char* says() const { return says_.c_str(); }
  int status() const { return status_; }

 private:
  static const ForeignCode* current_;

  FixedText says_;  // not on the heap, which may be damaged
  int status_;
  const ForeignCode* outer_;
};

}  // namespace kernbench
