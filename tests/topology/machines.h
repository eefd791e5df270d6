// A registry of implementations without factories, and machines made from files and overrides.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/topology/build_graph.h"
#include "platform/topology/load_machine.h"

namespace kernbench::test {

// Parameters as the shipped topology uses them; no component is ever created.
const ComponentRegistry& registry();
ComponentRegistry make_registry();

inline const std::string source_dir = KERNBENCH_SOURCE_DIR;
inline const std::string default_topology = source_dir + "/configs/topology.yaml";

// A directory that disappears with the object.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  std::string path(const std::string& file) const { return (dir_ / file).string(); }
  std::string write(const std::string& file, const std::string& text) const;  // returns the path

 private:
  std::filesystem::path dir_;
};

std::string read_file(const std::string& path);

// The shipped machine with overrides; leaves no cache file behind.
MachineSpec machine(const std::vector<Override>& overrides = {});
Graph graph(const std::vector<Override>& overrides = {});

std::string names(const Graph& graph, const std::vector<NodeId>& path);  // joined by '>'

}  // namespace kernbench::test
