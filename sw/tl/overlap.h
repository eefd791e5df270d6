// tl::Overlap: while one lives, tl.dot and the calls of PE_MATH return at their issue.
//
//   {
//     tl::Overlap overlap(tl);
//     const auto s = tl.dot(q, k);  // PE_GEMM goes on with it
//     const auto m = tl.max(x, 1);  // PE_MATH beside it, where they do not share the accel_slot
//     const auto p = s - m;         // waits for both
//   }
//
// Calls are issued in their order: one that uses a block under way waits for that block first, as
// does tl.wait(). Guards may be nested; the end of one waits for nothing. Loads and stores block
// all the same, unless they are asynchronous.
#pragma once

#include "sw/tl/program.h"

namespace kernbench::tl {

class Overlap {
 public:
  explicit Overlap(Program& tl) : tl_(tl) { ++tl_.overlaps_; }
  ~Overlap() { --tl_.overlaps_; }
  Overlap(const Overlap&) = delete;
  Overlap& operator=(const Overlap&) = delete;

 private:
  Program& tl_;
};

}  // namespace kernbench::tl
