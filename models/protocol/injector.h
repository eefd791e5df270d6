// Entry to the fabric for an initiator that is no node of the topology (the host).
#pragma once

#include "models/protocol/transaction.h"

namespace kernbench {

class Injector {
 public:
  // The injecting node is position 0 of the transaction's path; it pays its overhead from now on
  // and then sends. The owner keeps a handle until the completion callback. Called on a thread or
  // in completed(), any number of times in an instant.
  virtual void inject(TransactionHandle transaction) = 0;

 protected:
  ~Injector() = default;
};

}  // namespace kernbench
