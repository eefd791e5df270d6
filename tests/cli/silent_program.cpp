// What makes `kernbench_silent` of the program's own objects: implementations that never answer, or
// break their contracts otherwise. The linker sends calls of register_builtin_components() here
// (--wrap).
#include "models/base/component_registry.h"
#include "models/noc/router.h"
#include "models/tlm/external_modules.h"
#include "tests/support/faulty_components.h"
#include "tests/support/silent_memory.h"

#define WRAPPED(prefix) \
  prefix##_ZN9kernbench27register_builtin_componentsERNS_17ComponentRegistryERKNS_15ExternalModulesE

extern "C" void WRAPPED(__real_)(kernbench::ComponentRegistry& registry,
                                 const kernbench::ExternalModules& modules);

extern "C" void WRAPPED(__wrap_)(kernbench::ComponentRegistry& registry,
                                 const kernbench::ExternalModules& modules) {
  using namespace kernbench;
  WRAPPED(__real_)(registry, modules);
  registry.add(implementation_of<test::SilentMemory>("test.silent_memory"));
  registry.add(implementation_of<RouterNode<test::FaultyRouter>>("test.faulty_router"));
  registry.add(implementation_of<test::FaultyRuns>("test.faulty_runs"));
  registry.add(implementation_of<test::FaultyMmu>("test.faulty_mmu"));
  registry.add(implementation_of<test::FaultyTcm>("test.faulty_tcm"));
}
