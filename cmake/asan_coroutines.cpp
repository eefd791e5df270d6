// Part of every program of the asan preset.
//
// libsystemc tells the sanitizer of some switches between coroutines and not of others, so that it
// would not know on which stack it is, and a throw would leave marks of frames that are gone, which
// then look like errors. The calls below stand before the sanitizer's own: it always believes to be
// on the thread's stack, and marks on the stack of a coroutine are cleared here.
#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
extern "C" void __sanitizer_start_switch_fiber(void** /*save*/, const void* /*bottom*/,
                                               std::size_t /*size*/) {}
extern "C" void __sanitizer_finish_switch_fiber(void* /*save*/, const void** /*bottom*/,
                                                std::size_t* /*size*/) {}

namespace {
// Not on the stack, which may still have such marks where the calls below look.
thread_local ::pthread_attr_t attributes;
thread_local void* thread_stack = nullptr;
thread_local std::size_t thread_stack_bytes = 0;

[[gnu::no_sanitize("address")]] bool on_thread_stack(const char* here) {
  if (thread_stack == nullptr) {
    ::pthread_getattr_np(::pthread_self(), &attributes);
    ::pthread_attr_getstack(&attributes, &thread_stack, &thread_stack_bytes);
    ::pthread_attr_destroy(&attributes);
  }
  const auto* const begin = static_cast<const char*>(thread_stack);
  return here >= begin && here < begin + thread_stack_bytes;
}
}  // namespace

extern "C" [[gnu::no_sanitize("address")]] void __asan_handle_no_return() {
  using Call = void (*)();
  static const auto next = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "__asan_handle_no_return"));
  const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
  constexpr std::size_t below = 1 << 14;  // no stack frame is there
  constexpr std::size_t above = 1 << 20;  // frames that the exception may leave; beyond the stack
                                          // this hides errors, but makes none
  __asan_unpoison_memory_region(here - below, below);
  if (on_thread_stack(here)) return next();
  __asan_unpoison_memory_region(here, above);
}
// NOLINTEND(bugprone-reserved-identifier)
