// Loading of plug-ins (spec 12): stamp, library, entry, registration.
//
// The stamp is read from the file and compared before anything of the library runs; libraries are
// loaded after the time resolution is set, their symbols seen by nobody else, and never unloaded.
// What goes wrong is a UsageError that names the file.
#pragma once

#include <string>
#include <vector>

#include "models/base/plugin.h"

namespace kernbench {

struct LoadedPlugin {
  std::string name;  // as its entry says
  std::string file;  // as given
};

class PluginLoader {
 public:
  // The plug-in adds to `registries`. Refused are a file or a plug-in's name that this loader has
  // loaded before.
  const LoadedPlugin& load(const std::string& file, PluginRegistries& registries);

  const std::vector<LoadedPlugin>& plugins() const { return plugins_; }

 private:
  void check_new(const std::string& file, const std::string& canonical) const;

  std::vector<LoadedPlugin> plugins_;
  std::vector<std::string> canonical_;  // paths of plugins_
};

}  // namespace kernbench
