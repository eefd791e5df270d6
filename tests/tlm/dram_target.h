// A plain memory as an entry of `system.tlm_targets`, and machines that have it.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/tlm/external_modules.h"
#include "tests/tlm/boundary_machine.h"

namespace kernbench::test {

// A loosely timed memory of 64 bits, made from its declared parameters.
class Dram final : public sc_core::sc_module {
 public:
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> latency{*this, Parameter::duration_ns("latency_ns", "of an access", "test")};
    Param<std::size_t> depth{
        *this, Parameter::integer("depth_bytes", "contents", "B", "test").default_val(8192)};
  };
  Dram(const sc_core::sc_module_name& name, const Attributes& attributes)
      : sc_module(name), socket("socket"), parameters_(attributes), contents(*parameters_.depth) {
    socket.register_b_transport(this, &Dram::b_transport);
    socket.register_transport_dbg(this, &Dram::transport_dbg);
  }

  tlm_utils::simple_target_socket<Dram, 64> socket;

 private:
  const Parameters parameters_;

 public:
  plain_tlm::ByteArray contents;
  std::vector<plain_tlm::Request> requests;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    requests.push_back({payload.get_command(), payload.get_address(), payload.get_data_length(),
                        sc_core::sc_time_stamp() + delay});
    contents.access(payload);
    delay += fs(*parameters_.latency);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return contents.debug(payload); }
};

inline constexpr const char* router = "sip0.cube0.r0c0";  // of PE 0

inline ExternalModules with_dram() {
  ExternalModules modules;
  modules.add_target("acme.dram", &Dram::socket, schema_of<Dram::Parameters>());
  return modules;
}

inline std::string target(const std::string& id, const std::string& attach,
                          const std::string& more = "",
                          const std::string& attrs = "latency_ns: 30") {
  return "{id: " + id + ", attach: " + attach + ", bridge: {impl: acme.dram, attrs: {" + attrs +
         "}}, size_bytes: 8192" + more + "}";
}

inline std::uint64_t external(std::uint64_t offset) {
  return PhysAddr::external_addr(0, offset).encode();
}

inline MachineOptions with(const ExternalModules& modules) {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.modules = modules;
  return options;
}

struct Machine : WholeMachine {
  explicit Machine(const std::string& targets, const ExternalModules& modules = with_dram(),
                   std::vector<Override> more = {})
      : WholeMachine("topology.tiny.yaml", set(targets, std::move(more)), with(modules)) {}

  static std::vector<Override> set(const std::string& targets, std::vector<Override> more) {
    more.push_back({"system.tlm_targets", "[" + targets + "]"});
    return more;
  }
  static Dram& dram(const std::string& name) {
    auto* found = dynamic_cast<Dram*>(sc_core::sc_find_object((name + ".module").c_str()));
    if (found == nullptr) throw std::logic_error("no module in " + name);
    return *found;
  }
};

// Without a simulation.
inline MachineSpec spec_of(const std::vector<Override>& set) {
  ComponentRegistry registry;
  register_builtin_components(registry, with_dram());
  return shipped_spec("topology.tiny.yaml", set, registry);
}
inline MachineSpec spec_of(const std::string& targets) {
  return spec_of(std::vector<Override>{{"system.tlm_targets", "[" + targets + "]"}});
}

}  // namespace kernbench::test
