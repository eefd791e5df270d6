// Atomic access in a transaction, in addition to its route: its bytes in the access and its effect
// (spec 2.6).
//
// The request leg has the flits of the operands, the response leg the flits of the old values; the
// data length is that of the response.
#pragma once

#include <memory>

#include "models/base/atomic_op.h"
#include "models/protocol/flit_list.h"

namespace kernbench {

struct AtomicPart {
  std::shared_ptr<const AtomicAccess> access;
  AtomicSpans spans;                         // in the order of the transaction
  std::shared_ptr<const FlitList> elements;  // elements of several runs; null: contiguous
};

}  // namespace kernbench
