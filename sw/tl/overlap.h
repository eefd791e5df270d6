// tl::Overlap: while one exists, tl.dot and the calls of PE_MATH return at their issue.
//
//   {
//     tl::Overlap overlap(tl);
//     const auto s = tl.dot(q, k);  // in flight on PE_GEMM
//     const auto m = tl.max(x, 1);  // PE_MATH runs concurrently unless they share the accel_slot
//     const auto p = s - m;         // waits for both
//   }
//
// Calls are issued in program order. A call that uses a block in flight first waits for that block,
// as does tl.wait(). Guards may be nested; the end of a guard does not wait. Synchronous loads and
// stores still block.
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
