// AtomicUpdate: the effect of an atomic access on values (spec 6.3). The memory performs it when
// it serves the access; the kernel may use the old values once it has the response.
//
// Elements of a known value and known operands are known afterwards, so that tickets and locks can
// be branched on. Other accesses are ops that phase 2 computes, one op per access, like the results
// of PE_MATH. Lanes at one element act sequentially: each reads the result of the previous lane. At
// an instant atomic accesses precede the other accesses of PEs.
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
  // `places`: places of the elements, in the order of the access; an element is in one place.
  // `operands`: as many elements each, dense; cas has the compared values, then the new values.
  AtomicUpdate(FunctionalModel& data, AtomicOp op, DType dtype, const PhysRanges& places,
               std::vector<ByteImage> operands);
  // Enables reports of its service to the race detector of the data.
  void order_by(RaceDetector::Agent agent, RaceDetector::Call call);

  void serve(const AtomicSpans& part, Fs now) override;
  // Previous values of the elements, in the order of the access. All elements have been served.
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
