#include "platform/assembly/memory_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <systemc>
#include <utility>

#include "platform/assembly/fault_guard.h"

namespace kernbench {
namespace {

constexpr std::uint64_t least_margin = std::uint64_t{256} << 20U;  // for a run that ends normally

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::uint64_t value = 0;
  if (std::ifstream file(path); file >> value) return value;
  return std::nullopt;  // no such file, or "max"
}

// Least limit of the group `path` below `mount` and of its parent groups.
std::uint64_t group_limit(const std::string& mount, std::string path, const char* file) {
  std::uint64_t least = UINT64_MAX;
  for (;;) {
    least =
        std::min(least, number_in(fmt::format("{}{}/{}", mount, path, file)).value_or(UINT64_MAX));
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return least;
    path.erase(slash);
  }
}

// Lines are "ID:CONTROLLERS:PATH"; version 2 has no controllers.
std::uint64_t control_group_bytes() {
  std::ifstream groups("/proc/self/cgroup");
  std::uint64_t least = UINT64_MAX;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      path = line.substr(second + 1);
    if (controllers.empty())
      least = std::min(least, group_limit("/sys/fs/cgroup", path, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, group_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

// --- The guard: a thread that neither allocates nor locks, so that a child may be forked while it
// runs

std::atomic<std::uint64_t> limit{0};
std::atomic<bool> reached{false};

std::uint64_t resident_bytes(int statm) {
  std::array<char, 128> text{};
  if (::pread(statm, text.data(), text.size() - 1, 0) <= 0) return 0;
  unsigned long long pages = 0;
  if (std::sscanf(text.data(), "%*u %llu", &pages) != 1) return 0;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

[[noreturn]] void end_at_once(std::uint64_t bytes) {
  FixedText text;
  text.add(
      "kernbench: error: out of memory: {:.1f} GiB are in use, --max-memory is {:.1f} GiB; the run "
      "is ended at once",
      static_cast<double>(bytes) / 0x1p30, static_cast<double>(limit.load()) / 0x1p30);
  text.write_line_to_stderr();
  FaultGuard::end_process(exit_failed);
}

void* watch(void* /*unused*/) {
  const int statm = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return nullptr;
  for (;;) {
    const std::uint64_t bytes = resident_bytes(statm), most = limit;
    if (bytes >= most) reached = true;
    if (bytes >= most + std::max(most / 16, least_margin)) end_at_once(bytes);
    constexpr std::timespec between_looks{0, 10'000'000};
    ::nanosleep(&between_looks, nullptr);
  }
}

// Signals are left to the simulation thread. If the host grants no thread, a failed allocation ends
// the run.
void start_watching() {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, &watch, nullptr) == 0) ::pthread_detach(thread);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// --- Refused allocations: freed memory lets the run end normally

std::size_t reserve_bytes = std::size_t{64} << 20U;  // address space, never touched
std::mutex reserve_mutex;
void* reserve = nullptr;
std::uint64_t releases = 0;
std::atomic<bool> refused{false};

void map_reserve() {
  void* const block =
      ::mmap(nullptr, reserve_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  reserve = block == MAP_FAILED ? nullptr : block;
}

// std::new_handler, on any thread. Where the freed reserve does not serve the allocation and can be
// mapped again, the allocation is too large: an error of its caller alone.
void free_reserve() {
  const std::lock_guard lock(reserve_mutex);
  thread_local std::uint64_t tried = 0;  // number of the release after which it has tried again
  if (reserve != nullptr) {
    ::munmap(std::exchange(reserve, nullptr), reserve_bytes);
    ++releases;
    refused = true;
    if (FaultGuard::on_guarded_thread()) sc_core::sc_pause();
  }
  if (std::exchange(tried, releases) < releases) return;
  map_reserve();
  if (reserve != nullptr) refused = false;
  throw std::bad_alloc();
}

}  // namespace

std::uint64_t host_memory_bytes() {
  const auto physical = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(physical, control_group_bytes());
}

void guard_memory(std::uint64_t limit_bytes) {
  if (limit.exchange(limit_bytes) > 0) return;  // already guarded
  ::rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0)
    reserve_bytes = std::min<std::size_t>(reserve_bytes, space.rlim_cur / 8);
  map_reserve();
  std::set_new_handler(&free_reserve);
  start_watching();
  ::pthread_atfork(nullptr, nullptr, &start_watching);
}

std::uint64_t guarded_memory_bytes() { return limit; }
bool memory_limit_reached() { return reached || refused; }
bool allocation_refused() { return refused; }

}  // namespace kernbench
