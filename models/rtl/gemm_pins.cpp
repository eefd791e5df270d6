#include "models/rtl/gemm_pins.h"

namespace kernbench {

Pins GemmPins::list(GemmArray array) const {
  using Kind = Pin::Kind;
  constexpr SignalType count = SignalType::count, address = SignalType::address;
  const auto a_bits = static_cast<unsigned>(array.rows * 16),
             b_bits = static_cast<unsigned>(array.columns * 16),
             result_bits = static_cast<unsigned>(array.columns * 32);
  return {
      {"task_valid", "a task is offered", 1, Kind::input, task_valid},
      {"task_ready", "it is taken", 1, Kind::control, task_ready},
      {"task_m", "rows of A and of the result", 32, Kind::input, task_m},
      {"task_n", "columns of B and of the result", 32, Kind::input, task_n},
      {"task_k", "columns of A, rows of B", 32, Kind::input, task_k},
      {"task_dtype", "0: i8 x i8 -> i32, 1: f16 x f16 -> f32", 4, Kind::input, task_dtype},
      {"task_a_address", "of A", 64, Kind::input, task_a_address, 0, address},
      {"task_b_address", "of B", 64, Kind::input, task_b_address, 0, address},
      {"task_result_address", "of the result", 64, Kind::input, task_result_address, 0, address},
      {"a_valid", "a beat of A is offered", 1, Kind::input, a_valid},
      {"a_ready", "it is taken", 1, Kind::control, a_ready},
      {"a_data", "of a row of the fold", a_bits, Kind::input, a_data, 16},
      {"a_last", "last beat of the fold", 1, Kind::input, a_last},
      {"b_valid", "a beat of B is offered", 1, Kind::input, b_valid},
      {"b_ready", "it is taken", 1, Kind::control, b_ready},
      {"b_data", "of a column of the fold", b_bits, Kind::input, b_data, 16},
      {"b_last", "last beat of the fold", 1, Kind::input, b_last},
      {"result_valid", "a row of the result is offered", 1, Kind::control, result_valid},
      {"result_ready", "it is taken", 1, Kind::input, result_ready},
      {"result_data", "of a column of the fold", result_bits, Kind::data, result_data, 32, count,
       result_valid},
      {"result_last", "last row of the task", 1, Kind::data, result_last, 0, count, result_valid},
      {"error", "not 0: the block gives up", 8, Kind::control, error},
  };
}

}  // namespace kernbench
