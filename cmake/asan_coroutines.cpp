// Part of every program of the asan preset.
//
// libsystemc tells the sanitizer when it enters a coroutine but not when it comes back, so that a throw on the main stack would leave
// marks of frames that are gone, which then look like errors. The calls below stand before the sanitizer's own: it keeps the bounds
// of the main stack, and marks on the stack of a coroutine are cleared here.
#include <dlfcn.h>

#include <cstddef>

namespace {
const char* coroutine_stack = nullptr;
std::size_t coroutine_bytes = 0;
}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
extern "C" void __sanitizer_start_switch_fiber(void** /*save*/, const void* bottom, std::size_t size) {
  coroutine_stack = static_cast<const char*>(bottom);
  coroutine_bytes = size;
}
extern "C" void __sanitizer_finish_switch_fiber(void* /*save*/, const void** /*bottom*/, std::size_t* /*size*/) {}
extern "C" [[gnu::no_sanitize("address")]] void __asan_handle_no_return() {
  using Call = void (*)();
  static const auto next = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "__asan_handle_no_return"));
  const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
  if (here < coroutine_stack || here >= coroutine_stack + coroutine_bytes) return next();
  __asan_unpoison_memory_region(here, static_cast<std::size_t>(coroutine_stack + coroutine_bytes - here));
}
// NOLINTEND(bugprone-reserved-identifier)
