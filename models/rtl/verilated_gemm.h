// Verilated GEMM block of kernbench_gemm_top:
//
//   registry.add(gemm_implementation("acme.my_mac", "my MAC", {gemm_design<Vmy_mac>({8, 8})}));
#pragma once

#include "models/rtl/verilated_block.h"
// The runtime of Verilator must be included first.
#include "models/rtl/rtl_gemm.h"

namespace kernbench {

template <class Model>
GemmDesign gemm_design(GemmArray array) {
  return {array, [](Component& component, Services& services, const BlockParameters& parameters,
                    BlockUser& user, GemmArray of) {
            auto block = std::make_unique<VerilatedBlock<Model>>(
                component, services, parameters, user,
                [of](Model& model) { return GemmPins::of(model).list(of); });
            const GemmPins pins = GemmPins::of(block->pins());
            return GemmBlock{std::move(block), pins};
          }};
}

}  // namespace kernbench
