#include "models/tlm/external_modules.h"

#include <fmt/format.h>

#include <utility>

#include "models/base/errors.h"

namespace kernbench {
namespace {

template <class Modules, class Module>
void add(Modules& modules, const std::string& name, Module module) {
  if (!modules.emplace(name, std::move(module)).second)
    throw UsageError(fmt::format("the external module '{}' is registered twice", name));
}

}  // namespace

void ExternalModules::add_initiator(const std::string& name, MakeInitiator make) {
  const auto with_values = [make](const char* leaf, TargetSocket& bridge,
                                  const Attributes& /*values*/) { return make(leaf, bridge); };
  add_initiator(name, MakeInitiatorOf(with_values), {});
  initiators_.emplace(name, std::move(make));
}
void ExternalModules::add_target(const std::string& name, MakeTarget make) {
  const auto with_values = [make](const char* leaf, InitiatorSocket& bridge,
                                  const Attributes& /*values*/) { return make(leaf, bridge); };
  add_target(name, MakeTargetOf(with_values), {});
  targets_.emplace(name, std::move(make));
}
void ExternalModules::add_initiator(const std::string& name, MakeInitiatorOf make,
                                    ParameterSchema schema) {
  add(declared_initiators_, name, Declared<MakeInitiatorOf>{std::move(make), std::move(schema)});
}
void ExternalModules::add_target(const std::string& name, MakeTargetOf make,
                                 ParameterSchema schema) {
  add(declared_targets_, name, Declared<MakeTargetOf>{std::move(make), std::move(schema)});
}

}  // namespace kernbench
