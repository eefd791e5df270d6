// A router that Verilator has made of sv/kernbench_router_top.sv, as RtlRouter takes it:
// kernbench_router, or a design of somebody else (macro KERNBENCH_DESIGN).
#pragma once

#include "models/rtl/verilated_block.h"
// The runtime of Verilator comes first.
#include "models/rtl/router_model.h"

namespace kernbench {

template <class Model, unsigned ports, unsigned virtual_channels, unsigned buffer_flits>
class VerilatedRouter final : public RouterModel {
 public:
  static constexpr RouterShape shape_of_model{ports, virtual_channels, buffer_flits};

  VerilatedRouter(Component& component, Services& services, const BlockParameters& parameters,
                  BlockUser& user)
      : RouterModel(shape_of_model),
        block_(component, services, parameters, user,
               [](Model& model) { return list_of(pins_of(model), shape_of_model); }) {
    pins_ = pins_of(block_.pins());
  }
  RtlBlock& block() override { return block_; }

  static std::unique_ptr<RouterModel> make(Component& component, Services& services,
                                           const BlockParameters& parameters, BlockUser& user) {
    return std::make_unique<VerilatedRouter>(component, services, parameters, user);
  }

 private:
  static RouterPins pins_of(Model& m) {
    return {
        {&m.in_valid, &m.in_channel, &m.in_head, &m.in_tail, &m.in_route, &m.in_tag, &m.in_credit},
        {&m.out_valid, &m.out_channel, &m.out_head, &m.out_tail, &m.out_route, &m.out_tag,
         &m.out_credit}};
  }

  VerilatedBlock<Model> block_;
};

}  // namespace kernbench
