#include "models/base/at_work.h"

namespace kernbench {

const sc_core::sc_object* AtWork::current_ = nullptr;

}  // namespace kernbench
