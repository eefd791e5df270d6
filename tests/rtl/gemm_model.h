// A Verilated model with the pins of a GEMM block, for GemmTestbench. A rule that its assertions
// find broken is an exception.
#pragma once

#include "models/rtl/verilator_runtime.h"
// The runtime comes first.
#include <stdexcept>

#include "models/rtl/block_calls.h"
#include "tests/rtl/gemm_testbench.h"

namespace kernbench::test {

template <class Model>
class GemmModel : private BlockCalls {
 public:
  // `random_seed`: of the values that registers have before the reset; 0: zeros.
  GemmModel(unsigned rows, unsigned columns, int random_seed = 0)
      : rows_(rows), columns_(columns), context_(seeded(random_seed)), model_(context_.get()) {}
  ~GemmModel() { model_.final(); }

  GemmPorts pins() {
    Model& m = model_;
    GemmPorts pins;
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
      const BlockCalls::Scope scope(this);
      model_.clk = clock ? 1 : 0;
      model_.eval();
    };
    return pins;
  }

 private:
  void rule_broken(const std::string& rule, const std::string& signal) override {
    throw std::runtime_error(rule + " at " + signal);
  }
  void gave_up(const std::string& how) override { throw std::runtime_error(how); }
  void printed(const std::string& /*text*/) override {}

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
