// A kernel that is a function of the test.
#pragma once

#include <functional>
#include <utility>

#include "models/protocol/kernel_context.h"

namespace kernbench::test {

class FunctionKernel final : public KernelBody {
 public:
  explicit FunctionKernel(std::function<void(KernelContext&)> body) : body_(std::move(body)) {}
  void run(KernelContext& context) const override { body_(context); }

 private:
  std::function<void(KernelContext&)> body_;
};

}  // namespace kernbench::test
