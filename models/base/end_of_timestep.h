// EndOfTimestep: callbacks at the end of the current instant, after its last delta cycle, whatever
// the number of delta cycles.
//
// Resources shared by requests of one instant are granted then in a fixed order (spec 5). The
// result is independent of the order in which the kernel runs processes and of the number of delta
// cycles a request took. Actions of the callbacks belong to the same instant: they may start new
// delta cycles, whose end is awaited again. Without further requests the timestep is quiescent:
// everything that starts in it has started, and contenders for a link are ordered by the tie rule
// (spec 2.3). One instance per machine. An instant belongs to the whole simulation: with several
// machines in a process one process watches for all of them, since two that wait for quiescence
// would keep each other awake. Takes no simulated time.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

namespace kernbench {

class EndOfTimestep final : public sc_core::sc_module {
 public:
  class Listener {
   public:
    virtual void end_of_timestep() {}
    virtual void timestep_quiescent() {}

   protected:
    ~Listener() = default;
  };

  explicit EndOfTimestep(const sc_core::sc_module_name& name);
  ~EndOfTimestep() override;

  // Requests one call of listener.end_of_timestep(). Listeners of one end are called by ascending
  // rank, which is static (a NodeId); a repeated request counts once.
  void ask(Listener& listener, std::uint32_t rank) { add(asked_, listener, rank); }
  // Requests one call of listener.timestep_quiescent(), after the last end_of_timestep() of the
  // instant. That call starts nothing in this instant.
  void ask_when_quiescent(Listener& listener, std::uint32_t rank) {
    add(asked_when_quiescent_, listener, rank);
  }

 private:
  struct Asked {
    std::uint32_t rank;
    Listener* listener;
  };
  void add(std::vector<Asked>& list, Listener& listener, std::uint32_t rank);
  void look();
  static void notify_looker();
  template <class Call>
  void call_all(std::vector<Asked>& list, Call call);

  sc_core::sc_event look_;
  std::vector<Asked> asked_, asked_when_quiescent_, calling_;
};

}  // namespace kernbench
