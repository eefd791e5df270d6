// MachineBuilder: builds the machine of a topology file and binds the modules of an external
// program.
//
//   MachineBuilder builder("configs/topology.tiny.yaml");
//   builder.add_initiator("dma0", "sip0.cube0.r0c0");
//   std::unique_ptr<Platform> platform = builder.build({});
//   builder.bind_initiator("sip0.cube0.dma0", my_dma.socket);   // before the simulation starts
//
// Bridges of a topology whose `module` is `program` are bound in the same way.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "models/tlm/external_modules.h"
#include "platform/assembly/platform.h"

namespace kernbench {

struct Override;  // platform/config/config_tree.h

class MachineBuilder {
 public:
  static constexpr const char* program =
      "program";  // `module` of a bridge that is bound by bind_*()

  // The path of a topology.yaml.
  explicit MachineBuilder(std::string topology);
  ~MachineBuilder();
  MachineBuilder(const MachineBuilder&) = delete;
  MachineBuilder& operator=(const MachineBuilder&) = delete;

  // Same as --set KEY=VALUE.
  MachineBuilder& set(std::string key, std::string value);
  // Plain TLM-2.0 modules that the topology names.
  ExternalModules& modules() { return modules_; }
  // Implementations in addition to the built-in ones.
  ComponentRegistry& components() { return components_; }

  // Adds a node `id` attached to a router or io_noc, for an initiator of the program. `attributes`
  // of the bridge as YAML: "max_outstanding: 4". Only for a topology without tlm_initiators of its
  // own.
  MachineBuilder& add_initiator(const std::string& id, const std::string& attach,
                                const std::string& attributes = "");
  // Makes the SRAM of every cube a target of the program: "sip0.cube0.sram", ...
  MachineBuilder& replace_srams();

  // Called once. Throws the errors of load_machine() and Platform.
  std::unique_ptr<Platform> build(const PlatformOptions& options);

  // Called after build(). Accepts base-protocol sockets of any width. Throws UsageError if the node
  // is not a bridge with an unbound socket.
  template <class Socket>
  void bind_initiator(const std::string& node, Socket& initiator) {
    ExternalModules::bind(initiator, open_target(node));
  }
  template <class Socket>
  void bind_target(const std::string& node, Socket& target) {
    ExternalModules::bind(open_initiator(node), target);
  }

 private:
  ExternalModules::TargetSocket& open_target(const std::string& node);
  ExternalModules::InitiatorSocket& open_initiator(const std::string& node);

  std::string topology_;
  std::vector<Override> overrides_;
  std::string initiators_;  // YAML
  ExternalModules modules_;
  ComponentRegistry components_;
  std::vector<ExternalModules::TargetSocket*> open_targets_;
  std::vector<ExternalModules::InitiatorSocket*> open_initiators_;
};

}  // namespace kernbench
