#include "tests/support/child_time.h"

#include <cstdlib>
#include <ctime>

namespace kernbench::test {

std::chrono::milliseconds processor_time_of(pid_t child) {
  ::clockid_t clock{};
  ::timespec time{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::milliseconds(time.tv_nsec / 1'000'000);
}

std::chrono::milliseconds child_limit(std::chrono::milliseconds limit) {
  if (const char* seconds = std::getenv("KERNBENCH_TEST_TIMEOUT_S"))
    return std::chrono::seconds(std::atol(seconds));
  return sanitized ? limit * 5 : limit;
}

bool out_of_time(pid_t child, std::chrono::milliseconds passed, std::chrono::milliseconds limit) {
  if (limit.count() == 0) return false;
  return passed >= 10 * limit || (passed >= limit && processor_time_of(child) >= limit);
}

}  // namespace kernbench::test
