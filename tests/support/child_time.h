// Limit of a child process, against hangs alone: a busy machine fails no test.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace kernbench::test {

// Processor time of a child that has not been waited for.
std::chrono::milliseconds processor_time_of(pid_t child);

// `limit` as it applies here: five times as long with the sanitizers; KERNBENCH_TEST_TIMEOUT_S
// replaces it, 0 is none.
std::chrono::milliseconds child_limit(std::chrono::milliseconds limit);

// The child has used up `limit` both of wall time (`passed`) and of processor time. A child that
// computes less may wait for an event that never comes: ten times `limit` of wall time.
bool out_of_time(pid_t child, std::chrono::milliseconds passed, std::chrono::milliseconds limit);

}  // namespace kernbench::test
