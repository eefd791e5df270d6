#include "models/io/io_components.h"

#include "models/io/endpoint.h"
#include "models/io/pcie_ep.h"

namespace kernbench {

void register_io_components(ComponentRegistry& registry) {
  registry.add(implementation_of<PcieEp>("builtin.pcie_ep"));
  registry.add(implementation_of<UalEp>("builtin.ual_ep"));
  registry.add(io_cpu_implementation());
}

}  // namespace kernbench
