// tl::Prefetch: operands of the next iteration of a loop are loaded while those of the current one
// are in use, as Triton's num_stages=2.
//
//   tl::Prefetch blocks(
//       count, [&](std::int64_t i) { return tl.load_async(x + i * bytes, shape, f16); });
//   for (std::int64_t i = 0; i < count; ++i) {
//     const tl::Handle block = blocks.next();  // issues the load of iteration i + 1
//     ...
//   }
#pragma once

#include <cstdint>
#include <utility>

namespace kernbench::tl {

// `load(i)`: a handle, or a struct of handles, of iteration i, whose loads do not block.
template <class Load>
class Prefetch {
 public:
  using Operands = decltype(std::declval<Load>()(std::int64_t{}));

  // Issues load(0), if there is an iteration.
  Prefetch(std::int64_t count, Load load)
      : count_(count), load_(std::move(load)), next_(count > 0 ? load_(0) : Operands{}) {}

  // Operands of the next iteration, at most `count` times.
  Operands next() {
    Operands now = std::move(next_);
    ++iteration_;
    next_ = iteration_ < count_ ? load_(iteration_) : Operands{};
    return now;
  }

 private:
  std::int64_t count_, iteration_ = 0;
  Load load_;
  Operands next_;
};

}  // namespace kernbench::tl
