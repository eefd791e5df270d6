// Pins of a block that multiplies tiles (models/rtl/README.md, kernbench_gemm_if.sv), in the model
// that Verilator has made of it.
#pragma once

#include <cstdint>

#include "models/rtl/gemm_tile.h"
#include "models/rtl/pins.h"

namespace kernbench {

struct GemmPins {
  std::uint8_t *task_valid, *task_ready;
  std::uint32_t *task_m, *task_n, *task_k;
  std::uint8_t* task_dtype;
  std::uint64_t *task_a_address, *task_b_address, *task_result_address;
  std::uint8_t *a_valid, *a_ready, *a_last;
  void* a_data;
  std::uint8_t *b_valid, *b_ready, *b_last;
  void* b_data;
  std::uint8_t *result_valid, *result_ready, *result_last;
  void* result_data;
  std::uint8_t* error;

  template <class Model>
  static GemmPins of(Model& m) {
    return {&m.task_valid,     &m.task_ready,     &m.task_m,
            &m.task_n,         &m.task_k,         &m.task_dtype,
            &m.task_a_address, &m.task_b_address, &m.task_result_address,
            &m.a_valid,        &m.a_ready,        &m.a_last,
            &m.a_data,         &m.b_valid,        &m.b_ready,
            &m.b_last,         &m.b_data,         &m.result_valid,
            &m.result_ready,   &m.result_last,    &m.result_data,
            &m.error};
  }
  // For signals, and the search for unknown outputs.
  Pins list(GemmArray array) const;
};

}  // namespace kernbench
