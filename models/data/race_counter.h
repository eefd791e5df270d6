// RaceCounter: accesses of one instant to one byte by different PEs, one of them a write (spec 9).
// Such results depend on the tie rule, so the number is reported at the end of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

class RaceCounter {
 public:
  // `who` is any stable number of the PE. Called in order of time; costs one append.
  void note_access(std::uint64_t pa, std::uint64_t nbytes, bool is_write, std::uint32_t who,
                   Fs time);
  std::uint64_t data_races() const;  // conflicting pairs so far

 private:
  struct Access {
    std::uint64_t begin, end;
    std::uint32_t who;
    bool is_write;
  };
  std::uint64_t conflicts_of_instant() const;

  std::vector<Access> instant_;
  Fs time_ = 0;
  std::uint64_t races_ = 0;
};

}  // namespace kernbench
