// Flits of a transaction whose bytes are several runs of the target memory (spec 2.6): a strided,
// masked or gathered access.
//
// A flit never crosses a multiple of flit_bytes of the target address, and carries bytes of one
// run; a run that begins at the end of the previous one continues it. Flits keep the order of the
// runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace kernbench {

class FlitList {
 public:
  struct Flit {
    std::uint64_t offset = 0;    // offset in the target memory
    std::uint64_t position = 0;  // position of its first byte in the initiator's access
    std::uint32_t bytes = 0;
  };

  explicit FlitList(std::uint32_t flit_bytes) : flit_bytes_(flit_bytes) {}

  // Bytes [offset, offset + bytes), at `position` of the access.
  void add(std::uint64_t offset, std::uint64_t bytes, std::uint64_t position) {
    if (bytes > 0 && (flits_.empty() || end() != offset)) ++runs_;
    bytes_ += bytes;
    while (bytes > 0) {
      const std::uint64_t room = flit_bytes_ - offset % flit_bytes_;
      const auto part = static_cast<std::uint32_t>(std::min(bytes, room));
      if (!flits_.empty() && end() == offset && offset % flit_bytes_ != 0) {
        flits_.back().bytes += part;
      } else {
        flits_.push_back({offset, position, part});
      }
      offset += part;
      position += part;
      bytes -= part;
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(flits_.size()); }
  const Flit& operator[](std::size_t flit) const { return flits_[flit]; }
  std::uint32_t flit_bytes() const { return flit_bytes_; }
  std::uint64_t runs() const { return runs_; }
  std::uint64_t bytes() const { return bytes_; }
  std::pair<std::uint64_t, std::uint64_t> bursts_of(std::uint32_t flit,
                                                    unsigned burst_shift) const {
    const Flit& of = flits_[flit];
    return {of.offset >> burst_shift, (of.offset + of.bytes - 1) >> burst_shift};
  }
  // Calls use(flit, burst) for the bursts that the runs touch, in order, with the first flit of
  // each; once where a flit begins in the burst in which the previous one ended. `burst_shift`: of
  // their size.
  template <class Use>
  void for_each_burst(unsigned burst_shift, Use use) const {
    std::uint64_t next = UINT64_MAX;  // after the latest one
    for (std::uint32_t flit = 0; flit < size(); ++flit) {
      const auto [first, last] = bursts_of(flit, burst_shift);
      for (std::uint64_t burst = first + (first + 1 == next ? 1 : 0); burst <= last; ++burst)
        use(flit, burst);
      next = last + 1;
    }
  }

 private:
  std::uint64_t end() const { return flits_.back().offset + flits_.back().bytes; }

  std::uint32_t flit_bytes_;
  std::vector<Flit> flits_;
  std::uint64_t runs_ = 0, bytes_ = 0;
};

}  // namespace kernbench
