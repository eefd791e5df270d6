#include "sw/kernels/newton_until.h"

#include <string>

#include "models/base/errors.h"

namespace kernbench::kernels {

void newton_until(tl::Program& tl, tl::Tensor x, tl::Tensor y, tl::Tensor steps, float guess,
                  float tolerance, std::int32_t max_steps) {
  const tl::Handle block = tl.load(x.local(), x.local_shape(), x.dtype());
  tl::Handle root = tl.full(x.local_shape(), guess, x.dtype());
  std::int32_t step = 0;
  for (;; ++step) {
    const tl::Handle residual = 1.0 - block * root * root;
    const double largest = tl.max(tl.max(tl.abs(residual), 1), 0).item();
    if (largest <= tolerance) break;
    if (step == max_steps) {
      throw Error("no convergence within " + std::to_string(max_steps) +
                  " steps: the largest residual is " + std::to_string(largest));
    }
    root = root + root * residual * 0.5;
  }
  tl.store(y.local(), root);
  tl.store(steps.local(), tl.full({1, 1}, step, i32));
}

}  // namespace kernbench::kernels
