// Catalogue: everything that a command line and the configuration can name, built in and from
// plug-ins.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/plugin/plugin_loader.h"
#include "sw/benches/bench_registry.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {

// Plug-in to load: from --plugin, or from components.yaml with its line.
struct PluginFile {
  std::string path;
  std::string named_at;  // "components.yaml:41: plugins.0: "; "" for --plugin
};

class Catalogue {
 public:
  // UsageError: a plug-in that cannot be loaded, is empty, or has a name that is already used.
  explicit Catalogue(const std::vector<PluginFile>& plugins = {});

  ComponentRegistry components;
  std::shared_ptr<const AlgorithmRegistry> algorithms;
  BenchRegistry benches;

  const std::vector<LoadedPlugin>& plugins() const { return loader_.plugins(); }
  // File of the plug-in with the component; "" for built-in components.
  std::string file_of_component(const std::string& name) const { return file_of(component, name); }
  std::string file_of_bench(const std::string& name) const { return file_of(bench, name); }
  std::string file_of_algorithm(const std::string& name) const { return file_of(algorithm, name); }
  // "acme (plugins/libacme.so), ..."; "" without plug-ins.
  std::string plugins_text() const;

 private:
  struct Brought;
  static constexpr const char *component = "component", *bench = "bench", *algorithm = "algorithm";

  void load(const PluginFile& plugin, Brought& into);
  ExternalModules take_modules(const std::vector<Brought>& all);
  std::shared_ptr<const AlgorithmRegistry> take_algorithms(const std::vector<Brought>& all);
  std::string file_of(const char* kind, const std::string& name) const;
  // UsageError if `taken`; otherwise reserves the name for the plug-in.
  void claim(const char* kind, const std::string& name, bool taken, const std::string& file);

  PluginLoader loader_;
  std::map<std::pair<std::string, std::string>, std::string> files_;  // (kind, name) -> file
};

// "  (plug-in F)", a suffix for items of a plug-in; "" for built-in items.
std::string of_plugin(const std::string& file);

}  // namespace kernbench
