#include "sc_main/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "models/tlm/external_modules.h"
#include "platform/assembly/builtin_components.h"

namespace kernbench {

// Of one plug-in, until all names have been checked.
struct Catalogue::Brought {
  ComponentRegistry components;
  ExternalModules modules;
  BenchRegistry benches;
  AlgorithmRegistry algorithms;
  std::string file;

  bool nothing() const {
    return components.list().empty() && modules.initiators().empty() && modules.targets().empty() &&
           benches.benches().empty() && algorithms.algorithms().empty();
  }
};

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError(fmt::format("plug-in {}: {}", quote(file), why));
}

// As in components.yaml.
bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
         });
}

void check(const Implementation& component, const std::string& file) {
  const std::string what = fmt::format("its component {} ", quote(component.name));
  if (!is_name(component.name))
    refuse(file, what + "needs a name of at most 64 letters, digits, '_', '-' and '.'");
  if (component.description.empty() || component.description.find('\n') != std::string::npos)
    refuse(file, what + "needs a description of one line");
  if (component.roles.empty()) refuse(file, what + "names no role, so it could stand nowhere");
  if (!component.create) refuse(file, what + "has no factory");
}

}  // namespace

Catalogue::Catalogue(const std::vector<PluginFile>& plugins) {
  std::vector<Brought> all(plugins.size());
  for (std::size_t i = 0; i < plugins.size(); ++i) load(plugins[i], all[i]);

  ExternalModules modules;
  auto known_algorithms = std::make_shared<AlgorithmRegistry>(shipped_algorithms());
  for (const Brought& each : all) {
    for (const auto& [name, make] : each.modules.initiators()) {
      claim(module, name, modules.initiators().count(name) > 0, each.file);
      modules.add_initiator(name, make);
    }
    for (const auto& [name, make] : each.modules.targets()) {
      claim(module, name, modules.targets().count(name) > 0, each.file);
      modules.add_target(name, make);
    }
    for (const CollectiveAlgorithm& its : each.algorithms.algorithms()) {
      const auto& known = known_algorithms->algorithms();
      const auto same = [&](const CollectiveAlgorithm& a) { return a.name == its.name; };
      claim(algorithm, its.name, std::any_of(known.begin(), known.end(), same), each.file);
      known_algorithms->add(its);
    }
  }
  algorithms = std::move(known_algorithms);
  register_builtin_components(components, modules);
  benches.set_algorithms(algorithms);
  register_benches(benches);
  for (const Brought& each : all) {
    for (const Implementation* its : each.components.list()) {
      check(*its, each.file);
      claim(component, its->name, components.find(its->name) != nullptr, each.file);
      components.add(*its);
    }
    for (const Bench& its : each.benches.benches()) {
      const auto& known = benches.benches();
      const auto same = [&](const Bench& a) { return a.name == its.name; };
      claim(bench, its.name, std::any_of(known.begin(), known.end(), same), each.file);
      benches.add(its);
    }
  }
}

void Catalogue::load(const PluginFile& plugin, Brought& into) try {
  into.file = plugin.path;
  PluginRegistries registries{into.components, into.modules, into.benches, into.algorithms};
  loader_.load(plugin.path, registries);
  if (into.nothing())
    refuse(into.file, "its registration has added no component, module, bench or algorithm");
} catch (const UsageError& error) {
  throw UsageError(plugin.named_at + error.what());
}

std::string Catalogue::file_of(const char* kind, const std::string& name) const {
  const auto found = files_.find({kind, name});
  return found == files_.end() ? "" : found->second;
}

void Catalogue::claim(const char* kind, const std::string& name, bool taken,
                      const std::string& file) {
  if (taken) {
    const std::string owner = file_of(kind, name);
    refuse(file, fmt::format("the name of its {} {} is taken: {}", kind, quote(name),
                             owner.empty() ? "it is built in" : "plug-in " + quote(owner)));
  }
  files_[{kind, name}] = file;
}

std::string Catalogue::plugins_text() const {
  std::string text;
  for (const LoadedPlugin& plugin : plugins())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", plugin.name, plugin.file);
  return text;
}

std::string of_plugin(const std::string& file) {
  return file.empty() ? "" : fmt::format("  (plug-in {})", printable(file));
}

}  // namespace kernbench
