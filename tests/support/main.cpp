// main() of every test program; sources of tests do not define BOOST_TEST_MODULE. sc_main is in forked.cpp.
#include <dlfcn.h>

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdlib>
#include <filesystem>

namespace {

std::string program_name;

bool name_master_suite() {
  boost::unit_test::framework::master_test_suite().p_name.value = program_name;
  return true;
}

}  // namespace

#ifdef __SANITIZE_ADDRESS__
// libsystemc tells the sanitizer when it enters a coroutine but not when it comes back, so that a throw on the main stack would leave
// marks of frames that are gone, which then look like errors. The calls below stand before the sanitizer's own: it keeps the bounds
// of the main stack, and marks on the stack of a coroutine are cleared here.
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
#endif

// Weak, so that a program that brings its own main() still links. libsystemc has a main() too; the program's comes first.
[[gnu::weak]] int main(int argc, char* argv[]) {
  ::setenv("RC_PARAMS", "seed=1", 0);  // the same samples in every run; RC_PARAMS="seed=..." explores
  program_name = std::filesystem::path(argv[0]).filename();
  return boost::unit_test::unit_test_main(&name_master_suite, argc, argv);
}
