#include "platform/assembly/machine_root.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"

namespace kernbench {
namespace {

const std::string attribute = "kernbench.machine";

std::string described(const sc_core::sc_object* module) {
  return module == nullptr ? "the top of the hierarchy"
                           : fmt::format("module '{}'", module->name());
}

}  // namespace

MachineRoot::MachineRoot()
    : module_(sc_core::sc_get_curr_simcontext()->hierarchy_curr()),
      name_(module_ == nullptr ? "" : module_->name()), prefix_(attribute, 0) {
  if (sc_core::sc_get_curr_simcontext()->elaboration_done())
    throw UsageError("a machine is built before the simulation starts: it has started");
  const std::string host = module_ == nullptr ? "host" : name_ + ".host";
  if (sc_core::sc_find_object(host.c_str()) != nullptr) {
    throw UsageError(
        fmt::format("{} already has an object 'host', as of a machine: each machine of "
                    "a process is built in a module of its own",
                    described(module_)));
  }
  objects_ = siblings();
  if (module_ == nullptr) return;
  prefix_.value = name_.size() + 1;
  module_->add_attribute(prefix_);
}

MachineRoot::~MachineRoot() {
  // The module may have been destroyed earlier.
  if (module_ != nullptr && sc_core::sc_find_object(name_.c_str()) == module_)
    module_->remove_attribute(attribute);
}

const std::vector<sc_core::sc_object*>& MachineRoot::siblings() const {
  return module_ == nullptr ? sc_core::sc_get_top_level_objects() : module_->get_child_objects();
}

bool MachineRoot::is_start_of(const std::string& text) const {
  return module_ == nullptr || text.rfind(name_ + ".", 0) == 0;
}

void MachineRoot::built() {
  std::vector<sc_core::sc_object*> created;
  for (sc_core::sc_object* object : siblings()) {
    if (std::find(objects_.begin(), objects_.end(), object) == objects_.end())
      created.push_back(object);
  }
  objects_ = std::move(created);
}

const char* name_in_machine(const sc_core::sc_object& object) {
  for (const sc_core::sc_object* scope = object.get_parent_object(); scope != nullptr;
       scope = scope->get_parent_object()) {
    const sc_core::sc_attr_base* found = scope->get_attribute(attribute);
    if (found != nullptr)
      return object.name() + static_cast<const sc_core::sc_attribute<std::size_t>*>(found)->value;
  }
  return object.name();
}

std::string scope_in_machine(const sc_core::sc_object& object) {
  const sc_core::sc_object* scope = object.get_parent_object();
  return scope == nullptr ? "" : name_in_machine(*scope);
}

}  // namespace kernbench
