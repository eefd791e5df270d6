// A router in RTL (sv/kernbench_router_top.sv) and the access to its pins. The pins of all ports
// are concatenated, port 0 in the lowest bits.
#pragma once

#include <cstdint>
#include <memory>

#include "models/rtl/rtl_block.h"

namespace kernbench {

// Parameters with which it was verilated.
struct RouterShape {
  unsigned ports = 8, virtual_channels = 4, buffer_flits = 8;
  unsigned channels() const { return virtual_channels + 1; }  // the last one: control messages
};

// One side of the router.
struct FlitPins {
  void *valid = nullptr, *channel = nullptr, *head = nullptr, *tail = nullptr, *route = nullptr,
       *tag = nullptr, *credit = nullptr;
};
struct RouterPins {
  FlitPins in, out;

  template <class Model>
  static RouterPins of(Model& m) {
    return {
        {&m.in_valid, &m.in_channel, &m.in_head, &m.in_tail, &m.in_route, &m.in_tag, &m.in_credit},
        {&m.out_valid, &m.out_channel, &m.out_head, &m.out_tail, &m.out_route, &m.out_tag,
         &m.out_credit}};
  }
};

struct PinFlit {
  unsigned channel = 0;
  bool head = false, tail = false;
  unsigned route = 0;
  std::uint64_t tag = 0;
};

// Pins by port and channel.
class RouterInterface {
 public:
  RouterInterface(RouterShape shape, const RouterPins& pins) : shape_(shape), pins_(pins) {}
  const RouterShape& shape() const { return shape_; }

  // Inputs of the block.
  void clear();
  void drive(unsigned port, const PinFlit& flit);
  // One bit per channel.
  void drive_credits(unsigned port, std::uint64_t channels) {
    set_bits(pins_.out.credit, port * shape_.channels(), shape_.channels(), channels);
  }
  // Outputs of the router.
  bool gives_flit(unsigned port) const { return bits_of(pins_.out.valid, port, 1) != 0; }
  PinFlit flit(unsigned port) const;
  // One bit per channel.
  std::uint64_t credits(unsigned port) const {
    return bits_of(pins_.in.credit, port * shape_.channels(), shape_.channels());
  }

  static Pins list_of(const RouterPins& pins, const RouterShape& shape);

 private:
  RouterShape shape_;
  RouterPins pins_;
};

class RouterModel {
 public:
  virtual ~RouterModel() = default;
  virtual RtlBlock& block() = 0;
  virtual RouterInterface pins() = 0;
};

using MakeRouterModel = std::unique_ptr<RouterModel> (*)(Component& component, Services& services,
                                                         const BlockParameters& parameters,
                                                         BlockUser& user);

}  // namespace kernbench
