#include "models/base/atomic_op.h"

#include <array>

namespace kernbench {
namespace {

struct Row {
  const char* name;
  bool integers_only;
  bool narrow_floats;  // f16 and bf16, too
};
// Indexed by AtomicOp.
constexpr std::array<Row, 8> rows{{{"atomic_add", false, true},
                                   {"atomic_max", false, false},
                                   {"atomic_min", false, false},
                                   {"atomic_and", true, false},
                                   {"atomic_or", true, false},
                                   {"atomic_xor", true, false},
                                   {"atomic_xchg", false, true},
                                   {"atomic_cas", true, false}}};

const Row& row_of(AtomicOp op) { return rows[static_cast<std::size_t>(op)]; }

}  // namespace

const char* name_of(AtomicOp op) { return row_of(op).name; }

bool takes(AtomicOp op, DType dtype) {
  if (dtype == DType::i32) return true;
  if (!is_float(dtype) || row_of(op).integers_only) return false;
  return dtype == DType::f32 || row_of(op).narrow_floats;
}

void add_span(AtomicSpans& spans, const AtomicSpan& span) {
  if (!spans.empty() && spans.back().position + spans.back().nbytes == span.position) {
    spans.back().nbytes += span.nbytes;
  } else {
    spans.push_back(span);
  }
}

}  // namespace kernbench
