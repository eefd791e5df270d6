// Verilated router of sv/kernbench_router_top.sv, for RtlRouter: kernbench_router, or an external
// design (macro KERNBENCH_DESIGN).
#pragma once

#include "models/rtl/verilated_block.h"
// The runtime of Verilator must be included first.
#include "models/rtl/router_model.h"

namespace kernbench {

template <class Model, unsigned ports, unsigned virtual_channels, unsigned buffer_flits>
class VerilatedRouter final : public RouterModel {
 public:
  static constexpr RouterShape shape_of_model{ports, virtual_channels, buffer_flits};

  VerilatedRouter(Component& component, Services& services, const BlockParameters& parameters,
                  BlockUser& user)
      : block_(component, services, parameters, user, [](Model& model) {
          return RouterInterface::list_of(RouterPins::of(model), shape_of_model);
        }) {}
  RtlBlock& block() override { return block_; }
  RouterInterface pins() override { return {shape_of_model, RouterPins::of(block_.pins())}; }

  static std::unique_ptr<RouterModel> make(Component& component, Services& services,
                                           const BlockParameters& parameters, BlockUser& user) {
    return std::make_unique<VerilatedRouter>(component, services, parameters, user);
  }

 private:
  VerilatedBlock<Model> block_;
};

}  // namespace kernbench
