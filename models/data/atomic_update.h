// AtomicUpdate: the effect of an atomic access on values (spec 6.3). The memory carries it out when
// it serves the access; the old values belong to the kernel once it has its answer.
//
// Elements of a known value and known operands are known afterwards, so that tickets and locks can
// be branched on. Others are ops that phase 2 computes, one for each access, as the results of
// PE_MATH are. Of lanes at one element each finds what the one before it has left. At an instant
// atomic accesses come before what PEs access then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/address/phys_range.h"
#include "models/base/atomic_op.h"
#include "models/data/functional_model.h"
#include "models/data/race_detector.h"

namespace kernbench {

class AtomicUpdate final : public AtomicEffect {
 public:
  // `places`: of the elements, in the order of the access; an element lies in one of them.
  // `operands`: as many elements each, dense; of cas what is compared, then the new value.
  AtomicUpdate(FunctionalModel& data, AtomicOp op, DType dtype, const PhysRanges& places,
               std::vector<ByteImage> operands);
  // From now on its service is told to the race detector of the data.
  void order_by(RaceDetector::Agent agent, RaceDetector::Call call);

  void serve(const AtomicSpans& part, Fs now) override;
  // What the elements held, in the order of the access. All have been served.
  ByteImage old_values() const;

 private:
  using Elements = std::vector<std::size_t>;
  struct Issue {
    RaceDetector::Agent agent = 0;
    RaceDetector::Call call;
  };

  Elements elements_of(const AtomicSpans& part) const;
  std::vector<Elements> without_repeats(const Elements& elements) const;
  void note(const Elements& elements) const;
  void update(MemoryStore& memory, const Elements& elements);
  ByteImage picked(const ByteImage& image, const Elements& elements) const;
  ByteImage new_values(const ByteImage& old, const std::vector<ByteImage>& operands);
  ByteImage computed(const ByteImage& old, const std::vector<ByteImage>& operands) const;
  ByteImage pending(const ByteImage& old, const std::vector<ByteImage>& operands);
  void keep(const Elements& elements, const ByteImage& old);

  FunctionalModel& data_;
  AtomicOp op_;
  DType dtype_;
  std::uint64_t size_;
  std::vector<std::uint64_t> places_;  // by element
  std::vector<ByteImage> operands_;
  std::optional<Issue> issue_;
  std::map<std::size_t, ByteImage> old_;  // by the first of consecutive elements
};

}  // namespace kernbench
