// Interface of eager mode: the functional_model reports every new op and what engines have
// computed, and requests values.
#pragma once

#include "models/data/data_op.h"

namespace kernbench {

class ValueResolver {
 public:
  virtual ~ValueResolver() = default;
  virtual void recorded(const DataOpPtr& op) = 0;  // a new gemm or math op
  // The engine of the gemm op that defines `id` has computed its products
  // (FunctionalModel::take_products).
  virtual void products_computed(ValueId /*id*/) {}
  virtual SharedBytes resolve(
      ValueId id) = 0;  // waits (host time only) until the value exists; throws the error of its op
};

}  // namespace kernbench
