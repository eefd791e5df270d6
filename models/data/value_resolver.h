// Eager mode's two ends: the functional_model tells of every new op, and asks for values.
#pragma once

#include "models/data/data_op.h"

namespace kernbench {

class ValueResolver {
 public:
  virtual ~ValueResolver() = default;
  virtual void recorded(const DataOpPtr& op) = 0;  // a new gemm or math op
  virtual SharedBytes resolve(
      ValueId id) = 0;  // waits (host time only) until the value exists; throws the error of its op
};

}  // namespace kernbench
