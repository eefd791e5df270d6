// Plug-ins that cannot be loaded; FAULT says why.
#include <cstdlib>
#include <stdexcept>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"

#define FAULT_another_version 1
#define FAULT_another_cplusplus 2
#define FAULT_no_entry 3
#define FAULT_throws 4
#define FAULT_throws_an_integer 5
#define FAULT_name_clash 6
#define FAULT_brings_nothing 7
#define FAULT_throws_when_loaded 8
#define FAULT_undefined_symbol 9
#define FAULT_no_factory 10
#define FAULT_plain_library 11
#define FAULT_makes_nothing 12
#define FAULT_exits_when_loaded 13
#define FAULT_crashes_when_loaded 14
#define FAULT_exits 15
#define FAULT_crashes 16
#define FAULT_aborts 17

#if FAULT == FAULT_another_version
#undef KERNBENCH_VERSION
#define KERNBENCH_VERSION "0.0.9"
#endif

#if FAULT == FAULT_throws_when_loaded
const int thrower = []() -> int { throw std::runtime_error("no licence"); }();
#endif

#if FAULT == FAULT_exits_when_loaded
const int leaver = []() -> int { std::exit(0); }();
#endif

[[maybe_unused]] static int crash() {
  volatile int* volatile nothing = nullptr;
  *nothing = 1;
  return 0;
}
#if FAULT == FAULT_crashes_when_loaded
const int crashed = crash();
#endif

int nowhere_defined(int);

namespace {

void add_all([[maybe_unused]] kernbench::PluginRegistries& to) {
#if FAULT == FAULT_throws
  throw std::runtime_error("no licence");
#elif FAULT == FAULT_throws_an_integer
  throw 1;
#elif FAULT == FAULT_name_clash
  to.components.add({"builtin.sram",
                     "not ours",
                     {kernbench::Role::sram},
                     {},
                     [](const kernbench::ComponentInit&) { return nullptr; }});
#elif FAULT == FAULT_exits
  std::exit(0);
#elif FAULT == FAULT_crashes
  crash();
#elif FAULT == FAULT_aborts
  std::abort();
#elif FAULT == FAULT_undefined_symbol
  nowhere_defined(1);
#elif FAULT == FAULT_makes_nothing
  const auto add = [&to](const char* name, auto create) {
    to.components.add({name, "never comes to be", {kernbench::Role::pe_math}, {}, create});
  };
  add("acme.nothing", [](const kernbench::ComponentInit&) { return nullptr; });
  add("acme.thrower", [](const kernbench::ComponentInit&) -> std::unique_ptr<kernbench::Component> {
    throw std::runtime_error("no licence");
  });
  add("acme.leaver", [](const kernbench::ComponentInit&) -> std::unique_ptr<kernbench::Component> {
    std::exit(0);
  });
#elif FAULT == FAULT_no_factory
  to.components.add({"acme.nothing", "without a factory", {kernbench::Role::sram}, {}, {}});
#endif
}

}  // namespace

#if FAULT == FAULT_no_entry
[[gnu::used, gnu::section(".note.kernbench"),
  gnu::aligned(4)]] static constexpr kernbench::AbiNote<sizeof(KERNBENCH_ABI_STAMP)>
    note(KERNBENCH_ABI_STAMP);
void (*unused)(kernbench::PluginRegistries&) = &add_all;
#elif FAULT == FAULT_plain_library
void (*unused)(kernbench::PluginRegistries&) = &add_all;
#else
KERNBENCH_PLUGIN("faulty", add_all);
#endif
