// Arguments of calls: an operand of an element-wise operation, and a block. Both store the line of
// the call, where a handle or a number is converted to one of them.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "models/base/call_site.h"
#include "sw/tl/half.h"
#include "sw/tl/handle.h"
#include "sw/tl/operators.h"

namespace kernbench::tl {

// Handle, or a scalar that broadcasts. A floating-point scalar next to integers makes the result
// f32, whatever its value; an integer (bool, int, ...) keeps their dtype.
class Operand {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  Operand(const Handle& handle, CallSite site = CallSite::here()) : handle_(handle), site_(site) {}
  Operand(Number scalar, CallSite site = CallSite::here()) : scalar_(scalar), site_(site) {}
  template <class T, class = IfArithmetic<T>>
  Operand(T scalar, CallSite site = CallSite::here()) : scalar_(scalar), site_(site) {}
  Operand(Half scalar, CallSite site = CallSite::here()) : scalar_(scalar), site_(site) {}
  // NOLINTEND(google-explicit-constructor)

  bool is_handle() const { return handle_.has_value(); }
  const Handle& handle() const { return *handle_; }
  double scalar() const { return scalar_.value(); }
  bool is_floating() const { return scalar_.is_floating(); }
  CallSite site() const { return site_; }

 private:
  std::optional<Handle> handle_;
  Number scalar_ = 0;
  CallSite site_;
};

// Value of elements of `dtype` set to a number; integers modulo the range of the dtype. UsageError
// that names `call`: a fraction or an integer of more than 32 bits for an integer dtype.
double element_number(const char* call, double value, DType dtype);

// Operand that is a handle.
class BlockArg : public Operand {
 public:
  BlockArg(const Handle& handle,
           CallSite site = CallSite::here())  // NOLINT(google-explicit-constructor)
      : Operand(handle, site) {}
};

// Axes of a reduction: `1`, `{0, 1}`; none: all.
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : list_{axis} {}                         // NOLINT(google-explicit-constructor)
  Axes(std::initializer_list<int> axes) : list_(axes) {}  // NOLINT(google-explicit-constructor)
  const std::vector<int>& list() const { return list_; }

 private:
  std::vector<int> list_;
};

}  // namespace kernbench::tl
