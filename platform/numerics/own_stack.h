// A call on a stack as large as that of a thread, for callers whose own is small: the coroutines of
// the simulation.
#pragma once

#include <functional>

namespace kernbench {

// `body` must not throw, nor switch coroutines. On the caller's stack if the host grants no other.
void on_own_stack(const std::function<void()>& body);

}  // namespace kernbench
