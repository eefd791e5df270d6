#include "models/base/thread_turns.h"

#include <algorithm>

namespace kernbench {

void ThreadTurns::await(unsigned number) {
  sc_core::sc_event turn("");
  struct Remove {  // also when the thread is killed
    std::vector<Woken>& woken;
    const sc_core::sc_event& turn;
    ~Remove() {
      woken.erase(std::find_if(woken.begin(), woken.end(),
                               [this](const Woken& each) { return each.turn == &turn; }));
    }
  } const remove{woken_, turn};
  woken_.push_back({number, &turn});
  end_.ask(*this, rank_);
  sc_core::wait(turn);
}

void ThreadTurns::end_of_timestep() {
  std::stable_sort(woken_.begin(), woken_.end(),
                   [](const Woken& a, const Woken& b) { return a.number < b.number; });
  for (const Woken& each : woken_) each.turn->notify();
}

}  // namespace kernbench
