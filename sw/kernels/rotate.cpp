#include "sw/kernels/rotate.h"

#include <algorithm>

namespace kernbench::kernels {

void rotate(tl::Program& tl, tl::Tensor x, tl::Tensor out, std::int64_t shift, std::int64_t block) {
  const std::int64_t n = x.shape().elements();
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t programs = std::int64_t{tl.launch_num(0)} * tl.launch_num(1);
  const std::int64_t self = std::int64_t{tl.program_id(1)} * tl.launch_num(0) + tl.program_id(0);
  for (std::int64_t begin = self * block; begin < n; begin += programs * block) {
    const std::int64_t end = std::min(begin + block, n);
    for (std::int64_t to = begin, count = 0; to < end; to += count) {
      const std::int64_t from = (to + shift) % n;
      count = std::min(end - to, n - from);  // up to where x wraps
      tl.store(out + to * size, tl.load(x + from * size, {count}, x.dtype()));
    }
  }
}

}  // namespace kernbench::kernels
