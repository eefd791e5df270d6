// Eigen as its manual has it used: all of the matrix at once, compiled for the processor at hand.
#include <Eigen/Core>

#include "tests/perf/child_measurement.h"
#include "tests/perf/phase2_scenario.h"

namespace kernbench::perf {

Phase2Figures eigen_product(std::int64_t extent, unsigned threads) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::setNbThreads(static_cast<int>(threads));
  const Matrix a = Matrix::Random(extent, extent);
  const Matrix b = Matrix::Random(extent, extent);
  Matrix c = Matrix::Zero(extent, extent);
  Phase2Figures figures;
  const Stopwatch stopwatch;
  c.noalias() = a * b;
  stopwatch.stop(figures.seconds, figures.processor_seconds);
  return figures;
}

}  // namespace kernbench::perf
