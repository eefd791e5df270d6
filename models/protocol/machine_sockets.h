// TLM-2.0 sockets of the connections of a machine. They behave, and are bound, like
// tlm_base_initiator_socket and tlm_base_target_socket, but name their second object after
// themselves: those of the library search for a unique name, in 17 % of the instructions of an
// elaboration.
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <typeinfo>

namespace kernbench {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"  // as in the library: bind() of the base

template <class Forward, class Backward,
          sc_core::sc_port_policy policy = sc_core::SC_ONE_OR_MORE_BOUND>
class MachineInitiatorSocket : public tlm::tlm_base_initiator_socket_b<32, Forward, Backward>,
                               public sc_core::sc_port<Forward, 1, policy> {
 public:
  explicit MachineInitiatorSocket(const char* name)
      : sc_core::sc_port<Forward, 1, policy>(name),
        export_((std::string(name) + "_export").c_str()) {}
  const char* kind() const override { return "tlm_base_initiator_socket"; }

  virtual void bind(tlm::tlm_base_target_socket_b<32, Forward, Backward>& target) {
    get_base_port()(target.get_base_interface());
    target.get_base_port()(get_base_interface());
  }
  virtual void bind(Backward& backward) { export_.bind(backward); }

  unsigned get_bus_width() const override { return 32; }
  sc_core::sc_type_index get_protocol_types() const override {
    return typeid(typename Backward::protocol_types);
  }
  tlm::tlm_socket_category get_socket_category() const override {
    return tlm::TLM_INITIATOR_SOCKET;
  }
  sc_core::sc_port_b<Forward>& get_base_port() override { return *this; }
  const sc_core::sc_port_b<Forward>& get_base_port() const override { return *this; }
  sc_core::sc_export<Backward>& get_base_export() override { return export_; }
  const sc_core::sc_export<Backward>& get_base_export() const override { return export_; }
  Backward& get_base_interface() override { return export_; }
  const Backward& get_base_interface() const override { return export_; }

 private:
  sc_core::sc_export<Backward> export_;
};

template <class Forward, class Backward>
class MachineTargetSocket : public tlm::tlm_base_target_socket_b<32, Forward, Backward>,
                            public sc_core::sc_export<Forward> {
 public:
  explicit MachineTargetSocket(const char* name)
      : sc_core::sc_export<Forward>(name), port_((std::string(name) + "_port").c_str()) {}
  const char* kind() const override { return "tlm_base_target_socket"; }

  virtual void bind(tlm::tlm_base_initiator_socket_b<32, Forward, Backward>& initiator) {
    initiator.get_base_port()(get_base_interface());
    get_base_port()(initiator.get_base_interface());
  }
  void bind(Forward& forward) override { sc_core::sc_export<Forward>::bind(forward); }
  // Call on the backward path.
  Backward* operator->() { return port_.operator->(); }

  unsigned get_bus_width() const override { return 32; }
  sc_core::sc_type_index get_protocol_types() const override {
    return typeid(typename Forward::protocol_types);
  }
  tlm::tlm_socket_category get_socket_category() const override { return tlm::TLM_TARGET_SOCKET; }
  sc_core::sc_port_b<Backward>& get_base_port() override { return port_; }
  const sc_core::sc_port_b<Backward>& get_base_port() const override { return port_; }
  sc_core::sc_export<Forward>& get_base_export() override { return *this; }
  const sc_core::sc_export<Forward>& get_base_export() const override { return *this; }
  Forward& get_base_interface() override { return *this; }
  const Forward& get_base_interface() const override { return *this; }

 private:
  sc_core::sc_port<Backward> port_;
};

#pragma GCC diagnostic pop

}  // namespace kernbench
