// A router in RTL with its pins (sv/kernbench_router_top.sv). The pins of all ports stand side by
// side, port 0 in the lowest bits.
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
};

struct PinFlit {
  unsigned channel = 0;
  bool head = false, tail = false;
  unsigned route = 0;
  std::uint64_t tag = 0;
};

class RouterModel {
 public:
  explicit RouterModel(RouterShape shape) : shape_(shape) {}
  virtual ~RouterModel() = default;
  virtual RtlBlock& block() = 0;
  const RouterShape& shape() const { return shape_; }

  // Inputs of the block.
  void clear();
  void drive(unsigned port, const PinFlit& flit);
  void drive_credit(unsigned port, unsigned channel);
  // Its outputs.
  bool gives_flit(unsigned port) const { return bits_of(pins_.out.valid, port, 1) != 0; }
  PinFlit flit(unsigned port) const;
  bool gives_credit(unsigned port, unsigned channel) const {
    return bits_of(pins_.in.credit, port * shape_.channels() + channel, 1) != 0;
  }

  static Pins list_of(const RouterPins& pins, const RouterShape& shape);

 protected:
  RouterPins pins_;

 private:
  RouterShape shape_;
};

using MakeRouterModel = std::unique_ptr<RouterModel> (*)(Component& component, Services& services,
                                                         const BlockParameters& parameters,
                                                         BlockUser& user);

}  // namespace kernbench
