// components.yaml: names that `impl:` in a topology may use, and plug-ins to load (spec 12).
#pragma once

#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/config/config_schema.h"

namespace kernbench {

struct ComponentsFile {
  struct Alias {
    std::string name;     // value of `impl:`
    std::string factory;  // a registered implementation
    ConfigLocation place;
  };
  std::vector<Alias> aliases;              // in file order
  std::vector<std::string> plugins;        // paths; those in the file are relative to it
  std::vector<std::string> plugin_places;  // "components.yaml:41", or the --set that named it
};

ConfigSchema components_schema();

// Throws ConfigError. Overrides: components.NAME=FACTORY (NAME may contain dots), plugins.N=PATH,
// plugins=[...].
ComponentsFile load_components_file(const std::string& path,
                                    const std::vector<Override>& overrides = {});

// Registers the names once plug-ins are loaded; a name equal to its factory is left alone. Throws
// ConfigError for a factory that does not exist, or a name that belongs to another factory.
void apply_aliases(const ComponentsFile& file, ComponentRegistry& registry);

}  // namespace kernbench
