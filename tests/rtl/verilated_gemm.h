// A Verilated model with the pins of a GEMM block, for GemmTestbench.
#pragma once

#include "models/rtl/verilator_runtime.h"
// The runtime comes first.
#include "tests/rtl/gemm_testbench.h"

namespace kernbench::test {

template <class Model>
class VerilatedGemm {
 public:
  // `random_seed`: of the values that registers have before the reset; 0: zeros.
  VerilatedGemm(unsigned rows, unsigned columns, int random_seed = 0)
      : rows_(rows), columns_(columns), context_(seeded(random_seed)), model_(context_.get()) {}
  ~VerilatedGemm() { model_.final(); }

  GemmPins pins() {
    Model& m = model_;
    GemmPins pins;
    pins.rows = rows_;
    pins.columns = columns_;
    pins.rst_n = &m.rst_n;
    pins.task_valid = &m.task_valid;
    pins.task_ready = &m.task_ready;
    pins.task_m = &m.task_m;
    pins.task_n = &m.task_n;
    pins.task_k = &m.task_k;
    pins.task_dtype = &m.task_dtype;
    pins.a_valid = &m.a_valid;
    pins.a_ready = &m.a_ready;
    pins.a_data = &m.a_data;
    pins.a_last = &m.a_last;
    pins.b_valid = &m.b_valid;
    pins.b_ready = &m.b_ready;
    pins.b_data = &m.b_data;
    pins.b_last = &m.b_last;
    pins.result_valid = &m.result_valid;
    pins.result_ready = &m.result_ready;
    pins.result_data = &m.result_data;
    pins.result_last = &m.result_last;
    pins.error = &m.error;
    pins.eval = [this](bool clock) {
      model_.clk = clock ? 1 : 0;
      model_.eval();
    };
    return pins;
  }

 private:
  static std::unique_ptr<VerilatedContext> seeded(int seed) {
    auto context = std::make_unique<VerilatedContext>();
    context->randReset(seed == 0 ? 0 : 2);
    context->randSeed(seed);
    return context;
  }

  unsigned rows_, columns_;
  std::unique_ptr<VerilatedContext> context_;
  Model model_;
};

}  // namespace kernbench::test
