// EndOfTimestep: calls back when nothing else is left to be done at the present instant, however
// many delta cycles that took.
//
// What is shared by requests of one instant is granted then, by a written order (spec 5), so that
// neither the order in which the kernel runs processes nor the number of deltas that a request took
// decides. What the callbacks do belongs to the same instant: they may start new deltas, whose end
// is awaited again. When nobody asks for that any more the timestep is quiescent: all that starts
// in it has started, and what competes for a link goes by the tie rule (spec 2.3). One for the
// whole machine: two that wait for quiet would keep each other awake. Takes no simulated time.
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

  // Asks for one call of listener.end_of_timestep(). Listeners of one end are called by ascending
  // rank, which is static (a NodeId); asking twice is asking once.
  void ask(Listener& listener, std::uint32_t rank) { add(asked_, listener, rank); }
  // The same for listener.timestep_quiescent(), behind the last end_of_timestep() of the instant.
  // It starts nothing in this instant.
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
  template <class Call>
  void call_all(std::vector<Asked>& list, Call call);

  sc_core::sc_event look_;
  std::vector<Asked> asked_, asked_when_quiescent_, calling_;
};

}  // namespace kernbench
