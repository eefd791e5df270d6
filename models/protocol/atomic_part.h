// What a transaction of an atomic access carries beside its route: its bytes in the access and its
// effect (spec 2.6).
//
// The request leg has the flits of the operands, the response leg those of the old values; the data
// length is that of the latter.
#pragma once

#include <memory>

#include "models/base/atomic_op.h"
#include "models/protocol/flit_list.h"

namespace kernbench {

struct AtomicPart {
  std::shared_ptr<const AtomicAccess> access;
  AtomicSpans spans;                         // in the order of the transaction
  std::shared_ptr<const FlitList> elements;  // of several runs; null: contiguous
};

}  // namespace kernbench
