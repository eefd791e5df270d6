// A registry of implementations without factories, and machines made from files and overrides.
#pragma once

#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "tests/support/shipped_graph.h"
#include "tests/support/temporary_folder.h"

namespace kernbench::test {

// Parameters as the shipped topology uses them; no component is ever created.
const ComponentRegistry& registry();
ComponentRegistry make_registry();

inline const std::string source_dir = KERNBENCH_SOURCE_DIR;
inline const std::string default_topology = source_dir + "/configs/topology.yaml";

// The shipped machine with overrides; leaves no cache file behind.
MachineSpec machine(const std::vector<Override>& overrides = {});
Graph graph(const std::vector<Override>& overrides = {});

}  // namespace kernbench::test
