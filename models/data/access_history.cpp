#include "models/data/access_history.h"

#include <algorithm>
#include <iterator>

namespace kernbench {
namespace {

bool ordered(const MemoryAccess& earlier, const VectorClock& clock) {
  return earlier.epoch <= clock[earlier.agent];
}

class Conflicts {
 public:
  Conflicts(bool is_atomic, const VectorClock& clock, std::vector<Conflict>& found)
      : is_atomic_(is_atomic), clock_(clock), found_(found) {}
  void check(const MemoryAccessPtr& earlier, std::uint64_t begin, std::uint64_t end) {
    if (earlier == nullptr || (is_atomic_ && earlier->is_atomic) || ordered(*earlier, clock_))
      return;
    const auto same = [&](const Conflict& each) { return each.earlier == earlier; };
    const auto known = std::find_if(found_.begin(), found_.end(), same);
    if (known == found_.end()) {
      found_.push_back({earlier, begin, end - begin});
    } else {
      known->nbytes += end - begin;
    }
  }

 private:
  bool is_atomic_;
  const VectorClock& clock_;
  std::vector<Conflict>& found_;
};

}  // namespace

AccessHistory::Entries::iterator AccessHistory::split(std::uint64_t pa) {
  const auto next = entries_.lower_bound(pa);
  if (next == entries_.begin()) return next;
  Entry& before = std::prev(next)->second;
  if (before.end <= pa) return next;
  Entry rest = before;
  before.end = pa;
  return entries_.emplace_hint(next, pa, std::move(rest));
}

std::vector<Conflict> AccessHistory::add(const MemoryAccessPtr& access, const VectorClock& clock,
                                         const PhysRanges& ranges) {
  std::vector<Conflict> found;
  Conflicts conflicts(access->is_atomic, clock, found);
  for (const PhysRange& range : ranges) {
    if (range.nbytes == 0) continue;
    const std::uint64_t begin = range.pa, end = range.pa + range.nbytes;
    split(end);
    for (auto entry = split(begin); entry != entries_.end() && entry->first < end; ++entry) {
      conflicts.check(entry->second.write, entry->first, entry->second.end);
      if (!access->is_write) continue;
      for (const MemoryAccessPtr& read : entry->second.reads)
        conflicts.check(read, entry->first, entry->second.end);
    }
    if (access->is_write)
      add_write(access, begin, end);
    else
      add_read(access, clock, begin, end);
  }
  return found;
}

void AccessHistory::add_write(const MemoryAccessPtr& access, std::uint64_t begin,
                              std::uint64_t end) {
  const auto next = entries_.erase(entries_.lower_bound(begin), entries_.lower_bound(end));
  entries_.emplace_hint(next, begin, Entry{end, access, {}});
}

// A read that the new one follows in order is dropped: a write that is not ordered after it is not
// ordered after the new one.
void AccessHistory::add_read(const MemoryAccessPtr& access, const VectorClock& clock,
                             std::uint64_t begin, std::uint64_t end) {
  auto entry = entries_.lower_bound(begin);
  for (std::uint64_t at = begin; at < end; ++entry) {
    if (entry == entries_.end() || entry->first > at) {  // bytes without a history
      const std::uint64_t gap = entry == entries_.end() ? end : std::min(end, entry->first);
      entry = entries_.emplace_hint(entry, at, Entry{gap, nullptr, {access}});
    } else {
      std::vector<MemoryAccessPtr>& reads = entry->second.reads;
      reads.erase(
          std::remove_if(reads.begin(), reads.end(),
                         [&](const MemoryAccessPtr& read) { return ordered(*read, clock); }),
          reads.end());
      reads.push_back(access);
    }
    at = entry->second.end;
  }
}

void AccessHistory::forget(std::uint64_t pa, std::uint64_t nbytes) {
  split(pa + nbytes);
  entries_.erase(split(pa), entries_.lower_bound(pa + nbytes));
}

}  // namespace kernbench
