// The TCM bytes of a kernel's handles: first fit, 16-byte aligned, freed with the last handle (spec
// 6).
#pragma once

#include <cstdint>
#include <memory>

#include "models/address/free_list_allocator.h"
#include "models/base/dtype.h"

namespace kernbench::tl {

class Scratch {
 public:
  static constexpr std::uint64_t alignment = 16;

  explicit Scratch(FreeListAllocator& allocator) : allocator_(&allocator) {}

  std::uint64_t allocate(std::uint64_t nbytes) { return allocator_->allocate(nbytes, alignment); }
  void free(std::uint64_t offset, std::uint64_t nbytes) {
    if (allocator_ != nullptr) allocator_->free(offset, nbytes);
  }
  // The kernel has ended: handles that it left behind own nothing any more.
  void close() { allocator_ = nullptr; }
  bool closed() const { return allocator_ == nullptr; }

 private:
  FreeListAllocator* allocator_;
};

// Owned by all handles of one piece of TCM.
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

}  // namespace kernbench::tl
