// Verilated memory with AXI4 pins of sv/kernbench_sram_top.sv, for RtlSram: kernbench_sram, or an
// external design (macro KERNBENCH_DESIGN).
#pragma once

#include "models/rtl/verilated_block.h"
// The runtime of Verilator must be included first.
#include "models/rtl/sram_models.h"

namespace kernbench {

template <class Model, unsigned data_bits>
class VerilatedSram final : public SramModel {
 public:
  VerilatedSram(Component& component, Services& services, const BlockParameters& parameters,
                BlockUser& user)
      : block_(component, services, parameters, user,
               [](Model& model) { return pins_of(axi4_pins_of(model, data_bits / 8)); }) {}
  RtlBlock& block() override { return block_; }
  Axi4Pins pins() override { return axi4_pins_of(block_.pins(), data_bits / 8); }

  static std::unique_ptr<SramModel> make(Component& component, Services& services,
                                         const BlockParameters& parameters, BlockUser& user) {
    return std::make_unique<VerilatedSram>(component, services, parameters, user);
  }

 private:
  VerilatedBlock<Model> block_;
};

}  // namespace kernbench
