// The end of the fabric at which something that is no node of the topology (the host) starts its
// transactions.
#pragma once

#include "models/protocol/transaction.h"

namespace kernbench {

class Injector {
 public:
  // The injecting node is position 0 of the transaction's path; it pays its overhead from now on
  // and then sends. The owner keeps a handle until it is told of the end. Called on a thread or in
  // completed(), any number of times in an instant.
  virtual void inject(TransactionHandle transaction) = 0;

 protected:
  ~Injector() = default;
};

}  // namespace kernbench
