// What makes `kernbench_silent` of the program's own objects: one more implementation,
// test.silent_memory, so that deadlocks can be provoked from the command line. The linker sends
// calls of register_builtin_components() here (--wrap).
#include "models/base/component_registry.h"
#include "models/tlm/external_modules.h"
#include "tests/support/silent_memory.h"

#define WRAPPED(prefix) \
  prefix##_ZN9kernbench27register_builtin_componentsERNS_17ComponentRegistryERKNS_15ExternalModulesE

extern "C" void WRAPPED(__real_)(kernbench::ComponentRegistry& registry,
                                 const kernbench::ExternalModules& modules);

extern "C" void WRAPPED(__wrap_)(kernbench::ComponentRegistry& registry,
                                 const kernbench::ExternalModules& modules) {
  WRAPPED(__real_)(registry, modules);
  registry.add(kernbench::implementation_of<kernbench::test::SilentMemory>("test.silent_memory"));
}
