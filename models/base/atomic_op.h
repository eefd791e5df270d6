// Atomic operations on memory (spec 2.6, 6.3): names, operands, and the effect of an access on
// values, which the memory triggers when it serves the access.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/dtype.h"
#include "models/base/units.h"

namespace kernbench {

enum class AtomicOp : std::uint8_t {
  add,
  max,
  min,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  xchg,
  cas
};

const char* name_of(AtomicOp op);  // "atomic_add"; a literal
// Blocks that travel with the request; cas sends the compared values and the new values.
constexpr std::uint32_t operand_count(AtomicOp op) { return op == AtomicOp::cas ? 2 : 1; }
bool takes(AtomicOp op, DType dtype);

// Bytes at `position` of an access.
struct AtomicSpan {
  std::uint64_t position = 0, nbytes = 0;
};
using AtomicSpans = std::vector<AtomicSpan>;
// Appends the span, or extends the last one.
void add_span(AtomicSpans& spans, const AtomicSpan& span);

// Effect of one access on values; implemented by models/data.
class AtomicEffect {
 public:
  virtual ~AtomicEffect() = default;
  // Called when a memory serves this part of the access at `now`, after everything it served
  // before. Each byte of the access is served once.
  virtual void serve(const AtomicSpans& part, Fs now) = 0;
};

struct AtomicAccess {
  AtomicOp op = AtomicOp::add;
  std::shared_ptr<AtomicEffect> effect = nullptr;  // null with data off
};

}  // namespace kernbench
