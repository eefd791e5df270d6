#include "platform/assembly/foreign_code.h"

#include <string>

namespace kernbench {

const ForeignCode* ForeignCode::current_ = nullptr;

ForeignCode::ForeignCode(std::string_view says, int status) : status_(status), outer_(current_) {
  says_ << std::string(says).c_str();
  current_ = this;
}

}  // namespace kernbench
