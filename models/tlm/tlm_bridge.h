// Base of the bridges to plain TLM-2.0 modules: statistics of the accesses of the module outside,
// and violations of the base protocol.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/errors.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

// Parameter `module`: one of `modules`, which need not be known when values are read.
struct TlmBridgeParameters : ParameterSet {
  TlmBridgeParameters(std::vector<std::string> modules, const char* description)
      : module(*this, choice(std::move(modules), description)) {}
  TlmBridgeParameters(const Attributes& values, const char* description)
      : ParameterSet(values), module(*this, choice({}, description)) {}

  Param<std::string> module;

 private:
  static Parameter choice(std::vector<std::string> modules, const char* description) {
    return Parameter::choice("module", description, std::move(modules), "spec 2.1");
  }
};

class TlmBridge : public FabricNode {
 protected:
  explicit TlmBridge(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
        machine_(machine_services(init.services)) {}

  void add_access_statistics(const char* reads, const char* writes, const char* errors) {
    add_statistic("reads", reads, Quantity::count, reads_);
    add_statistic("writes", writes, Quantity::count, writes_);
    add_statistic("bytes_read", "bytes of reads that succeeded", Quantity::bytes, bytes_read_);
    add_statistic("bytes_written", "bytes of writes that succeeded", Quantity::bytes,
                  bytes_written_);
    add_statistic("errors", errors, Quantity::count, errors_);
  }
  void count_access(const tlm::tlm_generic_payload& access, bool ok) {
    ++(access.is_read() ? reads_ : writes_);
    if (ok) {
      (access.is_read() ? bytes_read_ : bytes_written_) += access.get_data_length();
    } else {
      ++errors_;
    }
  }
  void count_refusal() { ++errors_; }

  // Ends the run.
  tlm::tlm_sync_enum broken_protocol(const std::string& what) {
    machine_.fatal(*this, "the module behind the bridge breaks the base protocol: " + what);
    return tlm::TLM_COMPLETED;
  }

  MachineServices& machine_;

 private:
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0, errors_ = 0;
};

// Implementation of a bridge whose `module` is one of `modules`, as they are now: name -> factory.
template <class Bridge, class Make>
Implementation bridge_implementation(std::string name, const std::map<std::string, Make>& modules) {
  std::vector<std::string> names;
  for (const auto& module : modules) names.push_back(module.first);
  return {std::move(name), Bridge::description, Roles(Bridge::roles.begin(), Bridge::roles.end()),
          typename Bridge::Parameters(std::move(names)).schema(),
          [modules](const ComponentInit& init) { return make_component<Bridge>(init, modules); }};
}

// Implementation of one module behind its bridge, under the name of the module: the parameters of
// both but for `module`. `Make`: how the bridge's constructor takes it.
template <class Bridge, class Make, class Declared>
Implementation module_implementation(const std::string& name, const Declared& module) {
  ParameterSchema schema = typename Bridge::Parameters(std::vector<std::string>()).schema();
  schema.erase(
      std::remove_if(schema.begin(), schema.end(),
                     [](const Parameter& parameter) { return parameter.name() == "module"; }),
      schema.end());
  for (const Parameter& parameter : module.schema) {
    for (const Parameter& other : schema) {
      if (other.name() == parameter.name())
        throw UsageError("the external module '" + name + "' declares the parameter '" +
                         parameter.name() + "', which its bridge has, or twice");
    }
    schema.push_back(parameter);
  }
  const auto create = [name, make = module.make](const ComponentInit& init) {
    Attributes attributes = init.attributes;
    attributes.set("module", name);
    const Make with_values = [&](const char* leaf, auto& bridge) {
      return make(leaf, bridge, init.attributes);
    };
    const std::map<std::string, Make> one{{name, with_values}};
    return make_component<Bridge>({init.name, init.node, attributes, init.services}, one);
  };
  return {name, Bridge::module_description, Roles(Bridge::roles.begin(), Bridge::roles.end()),
          std::move(schema), create};
}

}  // namespace kernbench
