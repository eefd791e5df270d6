// Forwarding node: router, switch, UCIe port or connection, IO chiplet network. One class, several
// names.
//
// Timing (spec 2.4, models/fabric/serial_ingress.h): one serial server over one inbox in order of
// arrival. The first flit of a leg holds it for overhead_ns and goes on then; later flits wait only
// for the server to be free. A control message goes on overhead_ns after its arrival and neither
// waits nor holds. Nothing is reassembled. Not modelled: output arbitration, finite buffers, route
// decisions (the transaction carries its path).
#pragma once

#include "models/base/parameter_set.h"
#include "models/fabric/serial_ingress.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

class Router final : public FabricNode {
 public:
  static constexpr const char* description =
      "passes messages on: router, switch, UCIe port or connection, IO chiplet network";
  static constexpr std::array roles{Role::router};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns",
                                      "time for which the first flit of a leg holds the server; "
                                      "per control message",
                                      "spec 2.4")
                   .default_val(0)};
  };
  explicit Router(const ComponentInit& init);

 private:
  Fs next_due() const override { return ingress_.next_due(); }
  void serve() override;

  SerialIngress ingress_;
  std::uint64_t transactions_ = 0;
  std::uint64_t flits_ = 0;
  std::uint64_t control_messages_ = 0;
  std::uint64_t busy_fs_ = 0;
  std::uint64_t waiting_fs_ = 0;
  std::uint64_t longest_wait_fs_ = 0;
};

}  // namespace kernbench
