#include "sw/collectives/schedule.h"

#include <algorithm>
#include <iterator>

namespace kernbench {
namespace {

using Kind = MessageStep::Kind;

Kind kind_of(const Step& step) {
  return static_cast<Kind>(step.kind);
}  // the first kinds are the same

bool changes(const Step& step) { return !sends(step); }

class Unrolling {
 public:
  Unrolling(const Schedule& schedule, int blocks, int chunks, int window)
      : schedule_(schedule), chunks_(chunks), window_(window),
        last_change_(static_cast<std::size_t>(blocks), never) {
    for (std::size_t phase = 0; phase < schedule.size(); ++phase) {
      for (const Step& step : schedule[phase]) {
        if (changes(step))
          last_change_[static_cast<std::size_t>(step.block)] = static_cast<int>(phase);
      }
    }
  }

  std::vector<MessageStep> run() {
    for (std::size_t phase = 0; phase < schedule_.size(); ++phase)
      unroll_phase(static_cast<int>(phase));
    for (int chunk = 0; chunk < chunks_; ++chunk) store(never, chunk);
    return std::move(steps_);
  }

 private:
  static constexpr int never = -1;

  void unroll_phase(int number) {
    const Phase& phase = schedule_[static_cast<std::size_t>(number)];
    const auto rest = std::find_if_not(phase.begin(), phase.end(), sends);
    ahead_ = rest - phase.begin();
    sent_ = 0;
    int taken = 0;
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      for (auto step = rest; step != phase.end(); ++step) {
        if (takes(*step)) send_until(phase, window_ + taken++);
        steps_.push_back({kind_of(*step), step->direction, step->block, chunk});
      }
      if (rest == phase.end()) send_until(phase, static_cast<int>(ahead_) * (chunk + 1));
      store(number, chunk);
    }
    send_until(phase, static_cast<int>(ahead_) * chunks_);
  }

  // Emits the opening sends of the phase up to the given number: the first chunk of each, then the
  // second.
  void send_until(const Phase& phase, int number) {
    for (; sent_ < std::min(number, static_cast<int>(ahead_) * chunks_); ++sent_) {
      const Step& step = phase[static_cast<std::size_t>(sent_ % ahead_)];
      steps_.push_back(
          {kind_of(step), step.direction, step.block, static_cast<int>(sent_ / ahead_)});
    }
  }

  void store(int phase, int chunk) {
    for (std::size_t block = 0; block < last_change_.size(); ++block) {
      if (last_change_[block] == phase)
        steps_.push_back({Kind::store, "", static_cast<int>(block), chunk});
    }
  }

  const Schedule& schedule_;
  const int chunks_, window_;
  std::vector<int> last_change_;  // last changing phase, by block
  std::ptrdiff_t ahead_ = 0;      // opening sends of the phase
  int sent_ = 0;                  // messages of these sends emitted
  std::vector<MessageStep> steps_;
};

}  // namespace

Schedule schedules::with_prefix(const std::string& prefix, Schedule schedule) {
  for (Phase& phase : schedule) {
    for (Step& step : phase) {
      if (!step.direction.empty()) step.direction.insert(0, prefix);
    }
  }
  return schedule;
}

void schedules::append(Schedule& schedule, Schedule more) {
  std::move(more.begin(), more.end(), std::back_inserter(schedule));
}

std::vector<MessageStep> unroll(const Schedule& schedule, int blocks, int chunks, int window) {
  return Unrolling(schedule, blocks, chunks, window).run();
}

}  // namespace kernbench
