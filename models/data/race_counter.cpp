#include "models/data/race_counter.h"

#include <algorithm>

namespace kernbench {

void RaceCounter::note_access(std::uint64_t pa, std::uint64_t nbytes, bool is_write,
                              std::uint32_t who, Fs time) {
  if (time != time_) {
    races_ += conflicts_of_instant();
    instant_.clear();
    time_ = time;
  }
  if (nbytes > 0) instant_.push_back({pa, pa + nbytes, who, is_write});
}

std::uint64_t RaceCounter::data_races() const { return races_ + conflicts_of_instant(); }

std::uint64_t RaceCounter::conflicts_of_instant() const {
  if (std::none_of(instant_.begin(), instant_.end(), [](const Access& a) { return a.is_write; }))
    return 0;
  std::vector<Access> sorted = instant_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Access& a, const Access& b) { return a.begin < b.begin; });
  std::uint64_t conflicts = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = i + 1; j < sorted.size() && sorted[j].begin < sorted[i].end; ++j) {
      if (sorted[i].who != sorted[j].who && (sorted[i].is_write || sorted[j].is_write)) ++conflicts;
    }
  }
  return conflicts;
}

}  // namespace kernbench
