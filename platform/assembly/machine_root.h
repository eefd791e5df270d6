// Position of a machine in SystemC's hierarchy: the module under construction when the machine is
// built, or the top.
//
// Messages name components as SystemC does, with the path of that module, which distinguishes
// machines. Results (statistics, op logs, waveforms, request traces) use the names of the topology,
// so they do not depend on the position of the machine.
#pragma once

#include <string>
#include <systemc>
#include <vector>

namespace kernbench {

class MachineRoot {
 public:
  // Throws UsageError if the simulation has started, or the module already contains a machine.
  MachineRoot();
  ~MachineRoot();
  MachineRoot(const MachineRoot&) = delete;
  MachineRoot& operator=(const MachineRoot&) = delete;

  const std::string& name() const { return name_; }  // "top.a"; empty: the top
  bool at_top() const { return module_ == nullptr; }
  // True for "top.a.sip0..." of a machine in top.a: names of processes, and texts that start with
  // one.
  bool is_start_of(const std::string& text) const;
  // Called when the machine has been built.
  void built();
  // Top-level objects of the machine: sip0, ..., host.
  const std::vector<sc_core::sc_object*>& objects() const { return objects_; }

 private:
  const std::vector<sc_core::sc_object*>& siblings() const;

  sc_core::sc_object* module_;
  std::string name_;
  std::vector<sc_core::sc_object*> objects_;   // until built(): objects of others
  sc_core::sc_attribute<std::size_t> prefix_;  // length of "top.a."
};

// Name of an object in its machine: "sip0.cube0.r0c0" of "top.a.sip0.cube0.r0c0".
const char* name_in_machine(const sc_core::sc_object& object);
// Name of the enclosing scope: "sip0.cube0.pe1" of one of the PE's engines; empty: there is none.
std::string scope_in_machine(const sc_core::sc_object& object);

}  // namespace kernbench
