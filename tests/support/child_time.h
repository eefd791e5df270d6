// Time limits of child processes: a guard against hangs only, so that no test fails on a busy
// machine.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace kernbench::test {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// CPU time of a child that has not been reaped.
std::chrono::milliseconds processor_time_of(pid_t child);

// `limit` as it applies here: five times as long with the sanitizers; KERNBENCH_TEST_TIMEOUT_S
// replaces it, 0 is none.
std::chrono::milliseconds child_limit(std::chrono::milliseconds limit);

// Returns true when both the CPU time of the child and `passed`, its wall time, exceed `limit`, or
// when its wall time exceeds ten times `limit` (a child that waits for an event).
bool out_of_time(pid_t child, std::chrono::milliseconds passed, std::chrono::milliseconds limit);

}  // namespace kernbench::test
