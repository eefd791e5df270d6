// Arguments of calls: an operand of an element-wise operation, and a block. Both carry the line of
// the call, which is where a handle or a number is converted to one of them.
#pragma once

#include <optional>

#include "models/base/call_site.h"
#include "sw/tl/half.h"
#include "sw/tl/handle.h"
#include "sw/tl/operators.h"

namespace kernbench::tl {

// A handle, or a scalar that broadcasts.
class Operand {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  Operand(const Handle& handle, CallSite site = CallSite::here()) : handle_(handle), site_(site) {}
  Operand(double scalar, CallSite site = CallSite::here()) : scalar_(scalar), site_(site) {}
  Operand(Half scalar, CallSite site = CallSite::here()) : scalar_(scalar), site_(site) {}
  // NOLINTEND(google-explicit-constructor)

  bool is_handle() const { return handle_.has_value(); }
  const Handle& handle() const { return *handle_; }
  double scalar() const { return scalar_; }
  CallSite site() const { return site_; }

 private:
  std::optional<Handle> handle_;
  double scalar_ = 0;
  CallSite site_;
};

// A handle.
class BlockArg : public Operand {
 public:
  BlockArg(const Handle& handle,
           CallSite site = CallSite::here())  // NOLINT(google-explicit-constructor)
      : Operand(handle, site) {}
};

}  // namespace kernbench::tl
