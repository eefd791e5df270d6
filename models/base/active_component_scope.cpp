#include "models/base/active_component_scope.h"

namespace kernbench {

const sc_core::sc_object* ActiveComponentScope::current_ = nullptr;

}  // namespace kernbench
