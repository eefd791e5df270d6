#include "models/tlm/external_modules.h"

#include <fmt/format.h>

#include <utility>

#include "models/base/errors.h"

namespace kernbench {
namespace {

template <class Make>
void add(std::map<std::string, Make>& modules, const std::string& name, Make make) {
  if (!modules.emplace(name, std::move(make)).second)
    throw UsageError(fmt::format("the external module '{}' is registered twice", name));
}

}  // namespace

void ExternalModules::add_initiator(const std::string& name, MakeInitiator make) {
  add(initiators_, name, std::move(make));
}
void ExternalModules::add_target(const std::string& name, MakeTarget make) {
  add(targets_, name, std::move(make));
}

}  // namespace kernbench
