// Plain TLM-2.0 modules that a machine can include through the bridges, by the name under `module:`
// in a topology.
//
//   ExternalModules modules;
//   // class Dma : sc_module, with a constructor from sc_module_name
//   modules.add_initiator("acme.dma", &acme::Dma::socket);
//   modules.add_target("acme.dram", &acme::Dram::socket);
//   register_builtin_components(registry, modules);
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

namespace kernbench {

class ExternalModules {
 public:
  // The bridge's end; its width is a formality, the base protocol does not depend on it.
  using TargetSocket = tlm::tlm_base_target_socket<32>;
  using InitiatorSocket = tlm::tlm_base_initiator_socket<32>;

  // Creates the module under this leaf name, as a child of the bridge that is under construction,
  // and binds it to the bridge.
  using MakeInitiator =
      std::function<std::unique_ptr<sc_core::sc_module>(const char* name, TargetSocket& bridge)>;
  using MakeTarget =
      std::function<std::unique_ptr<sc_core::sc_module>(const char* name, InitiatorSocket& bridge)>;

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
  // Equivalent of initiator.bind(target) for sockets of different widths.
  template <class Initiator, class Target>
  static void bind(Initiator& initiator, Target& target) {
    initiator.get_base_port().bind(target.get_base_interface());
    target.get_base_port().bind(initiator.get_base_interface());
  }

  const std::map<std::string, MakeInitiator>& initiators() const { return initiators_; }
  const std::map<std::string, MakeTarget>& targets() const { return targets_; }

 private:
  std::map<std::string, MakeInitiator> initiators_;
  std::map<std::string, MakeTarget> targets_;
};

}  // namespace kernbench
