// Stand-ins for the nine engines of a PE, for tests of the machine around them: PE_CPU and PE_MMU
// answer control messages by a plan, the DMA lets accesses to its TCM pass, the others are only
// there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/host_messages.h"

namespace kernbench::test {

// Plans and records of the stubs of one machine. Outlives the machine.
struct StubEngines {
  struct Plan {
    Fs run = 0;  // from target_start to the answer
    Completion result;
    KernelMetrics metrics;
    bool answers = true;  // false: never, unless aborted
    bool obeys = true;    // false: not when aborted either
  };
  struct Launched {
    std::string pe_cpu;
    Fs ready = 0;  // arrival + overhead
    Fs target_start = 0;
    Fs answered = never_fs;
    bool aborted = false;
  };
  struct Mapped {
    std::string pe_mmu;
    Fs ready = 0;
    std::string type;  // "MmuMap", "MmuUnmap"
  };

  std::map<std::string, Plan>
      plans;  // by the name of the pe_cpu or pe_mmu; default: answers at once
  std::vector<Launched> launches;
  std::vector<Mapped> maps;
  std::size_t ignored_aborts = 0;
};

// Under the built-in names, instead of the real engines: on a registry that has none of them.
void register_stub_engines(ComponentRegistry& registry, StubEngines& engines);

}  // namespace kernbench::test
