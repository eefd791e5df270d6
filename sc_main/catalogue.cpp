#include "sc_main/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "models/tlm/external_modules.h"
#include "platform/assembly/builtin_components.h"

namespace kernbench {

// Content of one plug-in, until all names have been checked.
struct Catalogue::Brought {
  ComponentRegistry components;
  ExternalModules modules;
  BenchRegistry benches;
  AlgorithmRegistry algorithms;
  std::string file;

  bool nothing() const {
    return components.list().empty() && modules.declared_initiators().empty() &&
           modules.declared_targets().empty() && benches.benches().empty() &&
           algorithms.algorithms().empty();
  }
};

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError(fmt::format("plug-in {}: {}", quote(file), why));
}

// Same syntax as in components.yaml.
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
  if (component.roles.empty()) refuse(file, what + "names no role");
  if (!component.create) refuse(file, what + "has no factory");
}

template <class Entry>
bool has_name(const std::vector<Entry>& entries, const std::string& name) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return entry.name == name; });
}

}  // namespace

Catalogue::Catalogue(const std::vector<PluginFile>& plugins) {
  std::vector<Brought> all(plugins.size());
  for (std::size_t i = 0; i < plugins.size(); ++i) load(plugins[i], all[i]);
  const ExternalModules modules = take_modules(all);
  algorithms = take_algorithms(all);
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
      claim(bench, its.name, has_name(benches.benches(), its.name), each.file);
      benches.add(its);
    }
  }
}

// Every module is also an implementation of its own name.
ExternalModules Catalogue::take_modules(const std::vector<Brought>& all) {
  ComponentRegistry built_in;
  register_builtin_components(built_in);
  ExternalModules modules;
  const auto claim_module = [&](const std::string& name, const std::string& file) {
    claim(component, name,
          built_in.find(name) != nullptr || modules.declared_initiators().count(name) > 0 ||
              modules.declared_targets().count(name) > 0,
          file);
  };
  for (const Brought& each : all) {
    for (const auto& [name, declared] : each.modules.declared_initiators()) {
      claim_module(name, each.file);
      const auto plain = each.modules.initiators().find(name);
      if (plain != each.modules.initiators().end()) {
        modules.add_initiator(name, plain->second);
      } else {
        modules.add_initiator(name, declared.make, declared.schema);
      }
    }
    for (const auto& [name, declared] : each.modules.declared_targets()) {
      claim_module(name, each.file);
      const auto plain = each.modules.targets().find(name);
      if (plain != each.modules.targets().end()) {
        modules.add_target(name, plain->second);
      } else {
        modules.add_target(name, declared.make, declared.schema);
      }
    }
  }
  return modules;
}

std::shared_ptr<const AlgorithmRegistry> Catalogue::take_algorithms(
    const std::vector<Brought>& all) {
  auto known = std::make_shared<AlgorithmRegistry>(shipped_algorithms());
  for (const Brought& each : all) {
    for (const CollectiveAlgorithm& its : each.algorithms.algorithms()) {
      claim(algorithm, its.name, has_name(known->algorithms(), its.name), each.file);
      known->add(its);
    }
  }
  return known;
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
