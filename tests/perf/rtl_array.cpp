#include "tests/perf/rtl_array.h"

#include "models/rtl/verilator_runtime.h"
// The runtime of Verilator comes first.
#include <Varray_32x32.h>
#include <Varray_8x8.h>
#include <Vchecked_array_32x32.h>
#include <Vchecked_array_8x8.h>

#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/rtl/block_calls.h"
#include "tests/perf/child_measurement.h"

namespace kernbench::perf {
namespace {

// Beats of so many folds, again and again: enough that the host's branch prediction does not learn
// them.
constexpr std::size_t folds = 256;
template <unsigned size>
class Operand {
 public:
  Operand(const ArrayTask& task, unsigned seed) : lanes_(folds * task.k * size), k_(task.k) {
    std::mt19937 random(seed);
    for (std::uint16_t& lane : lanes_) {
      const auto bits = static_cast<std::uint16_t>(random());
      // f16 from 2^-3 to 2, of both signs: sums that neither vanish nor grow without bounds.
      lane = task.is_f16 ? static_cast<std::uint16_t>((bits & 0x8fff) | 0x3000)
                         : static_cast<std::uint16_t>(static_cast<std::int8_t>(bits));
    }
  }
  template <class Pin>
  void drive(Pin& data, CData& last) const {
    std::memcpy(&data, &lanes_[beat_ * size], size * sizeof lanes_[0]);
    last = (beat_ + 1) % k_ == 0;
  }
  void taken() { beat_ = (beat_ + 1) % (folds * k_); }

 private:
  std::vector<std::uint16_t> lanes_;
  std::size_t k_, beat_ = 0;
};

// No rule is broken, nothing is printed.
class Refusal final : public BlockCalls {
  void rule_broken(const std::string& rule, const std::string& signal) override {
    throw std::runtime_error(rule + " at " + signal);
  }
  void gave_up(const std::string& how) override { throw std::runtime_error(how); }
  void printed(const std::string& text) override { throw std::runtime_error(text); }
};

template <class Model, unsigned size>
ArraySpeed speed_of(const ArrayTask& task, double seconds) {
  Refusal refusal;
  const BlockCalls::Scope scope(&refusal);
  VerilatedContext context;
  Model model(&context);
  const auto eval = [&model](bool clock) {
    model.clk = clock;
    model.eval();
  };
  model.rst_n = 0;
  eval(false);
  eval(true);
  model.rst_n = 1;
  model.task_m = task.m;
  model.task_n = task.n;
  model.task_k = task.k;
  model.task_dtype = task.is_f16;
  model.task_valid = model.a_valid = model.b_valid = model.result_ready = 1;
  Operand<size> a(task, 1), b(task, 2);
  ArraySpeed speed{};
  for (const double start = processor_seconds(); speed.seconds < seconds;
       speed.seconds = processor_seconds() - start) {
    for (int i = 0; i < 1000; ++i, ++speed.cycles) {
      a.drive(model.a_data, model.a_last);
      b.drive(model.b_data, model.b_last);
      eval(false);
      const bool taken = model.a_ready;
      eval(true);
      if (!taken) continue;
      a.taken();
      b.taken();
    }
  }
  if (model.error != 0) throw std::runtime_error("the array has given up");
  return speed;
}

template <class Bare, class Checked, unsigned size>
ArraySpeed speed_of(ArrayModel model, const ArrayTask& task, double seconds) {
  return model == ArrayModel::bare ? speed_of<Bare, size>(task, seconds)
                                   : speed_of<Checked, size>(task, seconds);
}

}  // namespace

ArraySpeed array_alone(ArrayModel model, unsigned size, const ArrayTask& task, double seconds) {
  return size == 8 ? speed_of<Varray_8x8, Vchecked_array_8x8, 8>(model, task, seconds)
                   : speed_of<Varray_32x32, Vchecked_array_32x32, 32>(model, task, seconds);
}

}  // namespace kernbench::perf
