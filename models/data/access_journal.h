// AccessJournal: the accesses of PEs to memory within one instant, which take effect in the order
// of the PEs' names, those of one PE in the order of issue, whatever the order in which the
// simulation kernel runs the PEs' processes (spec 2.3, 9).
//
// An access is noted when it is issued; resolve() carries out the noted accesses. The first access
// of a later instant, and a query for the binding of a read, trigger it. A pair of accesses to one
// byte by different PEs, one of them a write, is a data race: its outcome depends on names, not on
// time, so that races are counted.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/address/phys_range.h"
#include "models/base/units.h"
#include "models/data/byte_image.h"
#include "models/data/memory_store.h"

namespace kernbench {

// A PE that accesses memory: a number that ascends with the names of the PEs, such as the NodeId of
// its PE_CPU.
struct Accessor {
  std::uint32_t pe = 0;
  Fs now = 0;
};

// Accesses of one instant to one byte by different PEs, one of them a write (spec 9). Such results
// depend on the tie rule, so the number is reported at the end of a run.
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

class AccessJournal {
 public:
  explicit AccessJournal(MemoryStore& memory) : memory_(memory) {}
  ~AccessJournal();
  AccessJournal(const AccessJournal&) = delete;
  AccessJournal& operator=(const AccessJournal&) = delete;

  bool is_earlier(Fs time) const {
    return now_ < time;
  }  // compared with the instant of the last noted access
  ByteImage read(const Accessor& by, const PhysRanges& from);  // returns a capture
  void write(const Accessor& by, const PhysRanges& to, const ByteImage& image);  // sizes agree
  void resolve();
  std::uint64_t data_races() const { return races_.data_races(); }

 private:
  class Read;
  struct Access {
    std::uint32_t pe = 0;
    PhysRanges ranges;
    std::shared_ptr<Read> read;  // null: a write
    ByteImage image;             // image of a write
  };
  // Notes an access to `ranges`, without its read or image.
  Access& note(const Accessor& by, const PhysRanges& ranges, bool is_write);

  MemoryStore& memory_;
  std::vector<Access> accesses_;  // accesses of instant now_, in order of issue
  Fs now_ = 0;
  RaceCounter races_;
};

}  // namespace kernbench
