// Part of every program of the asan preset.
//
// libsystemc tells the sanitizer when it enters a coroutine but not when it comes back, so that a throw on the main stack would leave
// marks of frames that are gone, which then look like errors. The calls below stand before the sanitizer's own: it keeps the bounds
// of the main stack, and marks on the stack of a coroutine are cleared here. Every stack ever entered is kept: a coroutine may go on
// without a call after another one was the last to be entered.
#include <dlfcn.h>

#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>

namespace {
std::map<const char*, std::size_t>& coroutine_stacks() {
  static auto* const bytes_by_bottom = new std::map<const char*, std::size_t>;
  return *bytes_by_bottom;
}
std::mutex stacks_mutex;  // other threads throw too
}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
extern "C" void __sanitizer_start_switch_fiber(void** /*save*/, const void* bottom, std::size_t size) {
  const std::lock_guard<std::mutex> lock(stacks_mutex);
  if (bottom != nullptr) coroutine_stacks()[static_cast<const char*>(bottom)] = size;
}
extern "C" void __sanitizer_finish_switch_fiber(void* /*save*/, const void** /*bottom*/, std::size_t* /*size*/) {}
extern "C" [[gnu::no_sanitize("address")]] void __asan_handle_no_return() {
  using Call = void (*)();
  static const auto next = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "__asan_handle_no_return"));
  const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
  const std::lock_guard<std::mutex> lock(stacks_mutex);
  const auto above = coroutine_stacks().upper_bound(here);
  if (above == coroutine_stacks().begin()) return next();
  const auto& [bottom, bytes] = *std::prev(above);
  if (here >= bottom + bytes) return next();
  __asan_unpoison_memory_region(here, static_cast<std::size_t>(bottom + bytes - here));
}
// NOLINTEND(bugprone-reserved-identifier)
