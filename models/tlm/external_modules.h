// Plain TLM-2.0 modules that a machine can include through the bridges, by the name under `module:`
// in a topology.
//
//   ExternalModules modules;
//   // class Dma : sc_module, with a constructor from sc_module_name
//   modules.add_initiator("acme.dma", &acme::Dma::socket);
//   modules.add_target("acme.dram", &acme::Dram::socket);
//   // class Sram : sc_module, with a constructor from sc_module_name and Attributes
//   modules.add_target("acme.sram", &acme::Sram::socket, schema_of<acme::Sram::Parameters>());
//   register_builtin_components(registry, modules);
//
// Each is also an implementation of its own name, with the attributes of its bridge and its
// declared ones: `bridge: {impl: acme.sram, attrs: {latency_ns: 3}}`. A name of both an initiator
// and a target is not an implementation: `module:` of the bridges distinguishes them.
//
// The module knows nothing of this platform: it has one socket of the base protocol, of any width,
// initiator or target.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/base/parameter_set.h"

namespace kernbench {

class ExternalModules {
 public:
  // Socket of the bridge; its width is a formality, the base protocol does not depend on it.
  using TargetSocket = tlm::tlm_base_target_socket<32>;
  using InitiatorSocket = tlm::tlm_base_initiator_socket<32>;

  // Creates the module under this leaf name, as a child of the bridge that is under construction,
  // and binds it to the bridge.
  using MakeInitiator =
      std::function<std::unique_ptr<sc_core::sc_module>(const char* name, TargetSocket& bridge)>;
  using MakeTarget =
      std::function<std::unique_ptr<sc_core::sc_module>(const char* name, InitiatorSocket& bridge)>;

  // Creates a module with the values of the declared parameters.
  using MakeInitiatorOf = std::function<std::unique_ptr<sc_core::sc_module>(
      const char* name, TargetSocket& bridge, const Attributes& attributes)>;
  using MakeTargetOf = std::function<std::unique_ptr<sc_core::sc_module>(
      const char* name, InitiatorSocket& bridge, const Attributes& attributes)>;
  template <class Make>
  struct Declared {
    Make make;
    ParameterSchema schema;  // parameters, with names that the bridge does not have
  };

  // Throw UsageError for a name that is taken.
  void add_initiator(const std::string& name, MakeInitiator make);
  void add_target(const std::string& name, MakeTarget make);
  template <class Module, class Socket>
  void add_initiator(const std::string& name, Socket Module::*socket) {
    add_initiator(name, [socket](const char* leaf, TargetSocket& bridge) {
      auto module = std::make_unique<Module>(sc_core::sc_module_name(leaf));
      bind((*module).*socket, bridge);
      return module;
    });
  }
  template <class Module, class Socket>
  void add_target(const std::string& name, Socket Module::*socket) {
    add_target(name, [socket](const char* leaf, InitiatorSocket& bridge) {
      auto module = std::make_unique<Module>(sc_core::sc_module_name(leaf));
      bind(bridge, (*module).*socket);
      return module;
    });
  }
  void add_initiator(const std::string& name, MakeInitiatorOf make, ParameterSchema schema);
  void add_target(const std::string& name, MakeTargetOf make, ParameterSchema schema);
  template <class Module, class Socket>
  void add_initiator(const std::string& name, Socket Module::*socket, ParameterSchema schema) {
    const auto make = [socket](const char* leaf, TargetSocket& bridge, const Attributes& values) {
      auto module = std::make_unique<Module>(sc_core::sc_module_name(leaf), values);
      bind((*module).*socket, bridge);
      return module;
    };
    add_initiator(name, MakeInitiatorOf(make), std::move(schema));
  }
  template <class Module, class Socket>
  void add_target(const std::string& name, Socket Module::*socket, ParameterSchema schema) {
    const auto make = [socket](const char* leaf, InitiatorSocket& bridge,
                               const Attributes& values) {
      auto module = std::make_unique<Module>(sc_core::sc_module_name(leaf), values);
      bind(bridge, (*module).*socket);
      return module;
    };
    add_target(name, MakeTargetOf(make), std::move(schema));
  }
  // Equivalent of initiator.bind(target) for sockets of different widths.
  template <class Initiator, class Target>
  static void bind(Initiator& initiator, Target& target) {
    initiator.get_base_port().bind(target.get_base_interface());
    target.get_base_port().bind(initiator.get_base_interface());
  }

  // Modules that a bridge creates from their name alone (`module:`).
  const std::map<std::string, MakeInitiator>& initiators() const { return initiators_; }
  const std::map<std::string, MakeTarget>& targets() const { return targets_; }
  // All modules.
  const std::map<std::string, Declared<MakeInitiatorOf>>& declared_initiators() const {
    return declared_initiators_;
  }
  const std::map<std::string, Declared<MakeTargetOf>>& declared_targets() const {
    return declared_targets_;
  }

 private:
  std::map<std::string, MakeInitiator> initiators_;
  std::map<std::string, MakeTarget> targets_;
  std::map<std::string, Declared<MakeInitiatorOf>> declared_initiators_;
  std::map<std::string, Declared<MakeTargetOf>> declared_targets_;
};

}  // namespace kernbench
