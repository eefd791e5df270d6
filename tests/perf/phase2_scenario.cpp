#include "tests/perf/phase2_scenario.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <vector>

#include "models/data/elements.h"
#include "models/data/functional_model.h"
#include "platform/phase2/data_executor.h"
#include "tests/perf/child_measurement.h"

namespace kernbench::perf {
namespace {

constexpr double mib = 1024.0 * 1024.0;

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / mib;
}

double peak_mib() {
  ::rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Two operands and the place of their product in the memory of a machine.
class Product {
 public:
  explicit Product(std::int64_t extent)
      : extent_(extent),
        nbytes_(static_cast<std::uint64_t>(extent * extent) * size_of(DType::f16)) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<std::uint16_t> elements(static_cast<std::size_t>(extent * extent));
    for (const std::uint64_t base : {a_base(), b_base()}) {
      for (std::uint16_t& element : elements) element = float_to_f16(uniform(random));
      functional_model_.memory().write_bytes(base, elements.data(), nbytes_);
    }
  }

  FunctionalModel& functional_model() { return functional_model_; }

  // One of the tiles that follow each other in the matrix at `base`.
  PhysRanges tile(std::uint64_t base, std::int64_t index, std::int64_t rows,
                  std::int64_t columns) const {
    const std::uint64_t nbytes = static_cast<std::uint64_t>(rows * columns) * size_of(DType::f16);
    return {{base + static_cast<std::uint64_t>(index) * nbytes, nbytes}};
  }
  PhysRanges whole(std::uint64_t base) const { return {{base, nbytes_}}; }
  std::uint64_t a_base() const { return 0; }
  std::uint64_t b_base() const { return nbytes_; }
  std::uint64_t out_base() const { return 2 * nbytes_; }

  Phase2Figures evaluate(unsigned threads) {
    Phase2Figures figures;
    figures.recorded_mib = resident_mib();
    const Stopwatch stopwatch;
    DataExecutor executor(functional_model_, threads);
    executor.run_for({});
    const std::vector<std::byte> out = executor.read(out_base(), nbytes_);
    stopwatch.stop(figures.seconds, figures.processor_seconds);
    figures.peak_mib = peak_mib();
    return figures;
  }

 private:
  std::int64_t extent_;
  std::uint64_t nbytes_;
  FunctionalModel functional_model_;
};

}  // namespace

Phase2Figures composite_product(std::int64_t extent, unsigned threads) {
  Product product(extent);
  FunctionalModel& functional_model = product.functional_model();
  const Shape shape{extent, extent};
  const TensorValue a = functional_model.view(product.whole(product.a_base()), shape, DType::f16);
  const TensorValue b = functional_model.view(product.whole(product.b_base()), shape, DType::f16);
  functional_model.store(functional_model.gemm({}, {a, b}).value,
                         product.whole(product.out_base()));
  return product.evaluate(threads);
}

Phase2Figures tiled_product(std::int64_t extent, std::int64_t tile_m, std::int64_t tile_k,
                            std::int64_t tile_n, unsigned threads) {
  Product product(extent);
  FunctionalModel& functional_model = product.functional_model();
  GemmParams dot;
  dot.out_dtype = DType::f32;
  MathParams add;
  add.op = MathOp::add;
  const std::int64_t rows = extent / tile_m, depth = extent / tile_k, columns = extent / tile_n;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      TensorValue sum;
      for (std::int64_t k = 0; k < depth; ++k) {
        const PhysRanges a_at = product.tile(product.a_base(), row * depth + k, tile_m, tile_k);
        const PhysRanges b_at =
            product.tile(product.b_base(), k * columns + column, tile_k, tile_n);
        const TensorValue a = functional_model.load(a_at, {tile_m, tile_k}, DType::f16).value;
        const TensorValue b = functional_model.load(b_at, {tile_k, tile_n}, DType::f16).value;
        const TensorValue partial = functional_model.gemm(dot, {a, b}).value;
        sum = k == 0 ? partial : functional_model.math(add, {sum, partial}).value;
      }
      functional_model.store(
          functional_model.converted(sum, DType::f16),
          product.tile(product.out_base(), row * columns + column, tile_m, tile_n));
    }
  }
  return product.evaluate(threads);
}

}  // namespace kernbench::perf
