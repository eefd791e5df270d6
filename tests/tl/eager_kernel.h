// A kernel on an eager PE without time: results can be read.
#pragma once

#include "platform/phase2/data_executor.h"
#include "sw/tl/program.h"
#include "tests/tl/fake_pe.h"

namespace kernbench::test {

struct EagerKernel {
  EagerKernel() { executor.start_eager(); }

  FakePe pe;
  DataExecutor executor{pe.functional_model, 1};
  tl::Program tl{pe};
};

}  // namespace kernbench::test
