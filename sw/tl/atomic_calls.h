// Atomic operations of tl::Program: executed by the memory (HBM, SRAM) when it serves the request,
// in order of arrival. Each call blocks and returns the previous value (spec 6.3).
//
// Elements accessed: a block from `ptr` on with the shape of `value` (a scalar: one element), or
// the elements at `offsets`, counted in elements, where the mask is not 0 (the result is 0
// elsewhere). Memory order acq_rel, scope of the whole machine, as Triton's default. dtypes: add
// and xchg of i32, f32, f16, bf16; max and min of i32, f32; other operations of i32.
#pragma once

#include <optional>
#include <vector>

#include "models/base/atomic_op.h"
#include "sw/tl/operand.h"
#include "sw/tl/ptr.h"

namespace kernbench::tl {

class Program;

class AtomicCalls {
 public:
  Handle atomic_add(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::add, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_add(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::add, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_max(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::max, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_max(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::max, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_min(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::min, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_min(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::min, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_and(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_and, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_and(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_and, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_or(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_or, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_or(const Ptr& ptr, const Handle& offsets, const Operand& value,
                   const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_or, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_xor(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_xor, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_xor(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_xor, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_xchg(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::xchg, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_xchg(const Ptr& ptr, const Handle& offsets, const Operand& value,
                     const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::xchg, ptr, offsets, {value}, mask}, site);
  }
  // Stores `value` where the element equals `compare`; no mask, as in Triton.
  Handle atomic_cas(const Ptr& ptr, const Operand& compare, const Operand& value,
                    CallSite site = CallSite::here()) {
    return atomic({AtomicOp::cas, ptr, {}, {compare, value}, {}}, site);
  }
  Handle atomic_cas(const Ptr& ptr, const Handle& offsets, const Operand& compare,
                    const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::cas, ptr, offsets, {compare, value}, {}}, site);
  }

 protected:
  AtomicCalls() = default;
  ~AtomicCalls() = default;

 private:
  friend class Program;
  // Arguments of a call.
  struct AtomicCall {
    AtomicOp op;
    Ptr base;
    std::optional<Handle> offsets;
    std::vector<Operand> operands;
    std::optional<Handle> mask;
  };
  Handle atomic(const AtomicCall& call, CallSite site);
};

}  // namespace kernbench::tl
