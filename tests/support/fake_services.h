// The services of a machine that keeps no log of operations.
#pragma once

#include "models/base/services.h"

namespace kernbench::test {

class FakeServices : public Services {
 public:
  Obligations& obligations() override { return obligations_; }
  InstantEnd& instant_end() override { return instant_end_; }
  OpSink* op_sink() override { return nullptr; }

 private:
  Obligations obligations_;
  InstantEnd instant_end_{"instant_end"};
};

}  // namespace kernbench::test
