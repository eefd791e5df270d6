// Interface of eager mode: the functional_model reports every new op, and requests values.
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
