// Loading of plug-ins (spec 12): stamp, library, entry, registration.
//
// The stamp is read from the file and compared before any code of the library runs. Libraries are
// loaded after the time resolution is set, with local symbols, and never unloaded. Every failure is
// a UsageError that names the file.
#pragma once

#include <string>
#include <vector>

#include "models/base/plugin.h"

namespace kernbench {

struct LoadedPlugin {
  std::string name;  // from its entry
  std::string file;  // path given by the user
};

class PluginLoader {
 public:
  // Loads the plug-in, which adds to `registries`. Refuses a file or a plug-in name that this
  // loader has loaded before.
  const LoadedPlugin& load(const std::string& file, PluginRegistries& registries);

  const std::vector<LoadedPlugin>& plugins() const { return plugins_; }

 private:
  void check_new(const std::string& file, const std::string& canonical) const;

  std::vector<LoadedPlugin> plugins_;
  std::vector<std::string> canonical_;  // paths of plugins_
};

}  // namespace kernbench
