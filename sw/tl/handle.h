// tl::Handle: a block of elements of a kernel: in TCM that the handle and its copies own, or a
// reference to memory (tl.ref), which composites stream.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/address/free_list_allocator.h"
#include "models/base/call_site.h"
#include "models/data/tensor_value.h"
#include "models/protocol/command_state.h"
#include "sw/tl/index_block.h"
#include "sw/tl/ptr.h"

namespace kernbench {
class FunctionalModel;
}

namespace kernbench::tl {

class Program;
struct BlockAccess;
struct GatheredLoad;

// TCM bytes of a kernel's handles: first fit, 16-byte aligned, freed with the last handle (spec 6).
class Scratch {
 public:
  static constexpr std::uint64_t alignment = 16;

  explicit Scratch(FreeListAllocator& allocator) : allocator_(&allocator) {}

  std::uint64_t allocate(std::uint64_t nbytes) { return allocator_->allocate(nbytes, alignment); }
  void free(std::uint64_t offset, std::uint64_t nbytes) {
    if (allocator_ != nullptr) allocator_->free(offset, nbytes);
  }
  // Called at the end of the kernel: remaining handles own no TCM any more.
  void close() { allocator_ = nullptr; }
  bool closed() const { return allocator_ == nullptr; }

 private:
  FreeListAllocator* allocator_;
};

// TCM block shared by all handles of it.
class ScratchBlock {
 public:
  ScratchBlock(std::shared_ptr<Scratch> scratch, std::uint64_t nbytes)
      : scratch_(std::move(scratch)), offset_(scratch_->allocate(nbytes)), nbytes_(nbytes) {}
  ~ScratchBlock() { scratch_->free(offset_, nbytes_); }
  ScratchBlock(const ScratchBlock&) = delete;
  ScratchBlock& operator=(const ScratchBlock&) = delete;

  std::uint64_t offset() const { return offset_; }  // in the PE's TCM
  std::uint64_t nbytes() const { return nbytes_; }

 private:
  std::shared_ptr<Scratch> scratch_;
  std::uint64_t offset_, nbytes_;
};

class Handle {
 public:
  Handle() = default;  // no block; every use is a UsageError

  const Shape& shape() const { return state().value.shape; }
  DType dtype() const { return state().value.dtype; }
  std::uint64_t nbytes() const {
    return static_cast<std::uint64_t>(shape().elements()) * size_of(dtype());
  }
  bool in_tcm() const { return state().block != nullptr; }
  // True if the command that makes, stores or sends it has completed: equivalent to tl.wait().
  bool done() const;
  std::string str() const;  // "f16{32, 64}"

  // Values, in row-major order. UsageError with data off, and for the result of a composite that
  // has not been waited for. Waits for a load or a computation in flight, as any use does. The
  // result of a computation: PendingDataError, or in eager mode its values, which takes host time
  // only.
  std::vector<double> data(CallSite site = CallSite::here()) const;
  double at(const std::vector<std::int64_t>& index, CallSite site = CallSite::here()) const;
  double item(CallSite site = CallSite::here()) const;  // value of a block of one element
  // Values of a block of integers. Values of an index block follow from the kernel alone and are
  // available in every data mode; others are those of data(), with its errors. Waits as data()
  // does.
  std::vector<std::int64_t> index_values(CallSite site = CallSite::here()) const;
  bool is_mask() const { return state().mask; }  // result of a comparison or logical operation
  explicit operator bool() const { return item({}) != 0; }  // error location: the latest call
  Handle to(DType dtype, CallSite site = CallSite::here()) const;  // tl.cast

 private:
  friend class Program;
  struct State;
  // View to be applied to the block once its value is available.
  struct LateView {
    std::shared_ptr<const State> whole;
    std::function<TensorValue(const TensorValue&)> view;
  };
  struct State {
    Program* program = nullptr;              // until its scratch is closed
    std::shared_ptr<const Scratch> scratch;  // the kernel's, also of a reference
    mutable TensorValue value;               // its image is all zeros when there are no data
    FunctionalModel* data = nullptr;
    std::shared_ptr<ScratchBlock> block;  // block in TCM
    std::optional<Ptr> ptr;               // set for a reference
    // Command in flight that makes the block, until the first use has waited for it.
    mutable std::shared_ptr<CommandState> producer;
    std::uint64_t offset = 0;     // offset of the view's first element in the block
    IndexValues index = nullptr;  // set for an index block
    std::shared_ptr<const BlockAccess> access = nullptr;  // set for a reference with strides
    // Source of the value at the first use; null: the value is available.
    mutable std::shared_ptr<const GatheredLoad> gathered = nullptr;
    bool mask = false;  // elements are 0 or 1
    // Value of a view of a block whose value is not available yet.
    mutable std::shared_ptr<const LateView> late_view = nullptr;
  };
  explicit Handle(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state(CallSite site = {}) const {  // `site`: for errors
    if (state_ == nullptr || state_->scratch->closed()) refuse(site);
    return *state_;
  }
  [[noreturn]] void refuse(CallSite site) const;
  std::vector<std::byte> bytes(CallSite site) const;

  friend Program& program_of(const Handle& handle, CallSite site);

  std::shared_ptr<const State> state_;
};

}  // namespace kernbench::tl
