// A memory that never answers, to provoke deadlocks. It may take posted writes, so that a host gets
// as far as a launch, and it may poll.
#pragma once

#include "models/base/parameter_set.h"
#include "models/protocol/fabric_node.h"

namespace kernbench::test {

class SilentMemory final : public FabricNode {
 public:
  static constexpr const char* description = "memory that never answers";
  static constexpr std::array roles{Role::sram, Role::hbm_ctrl};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this, Parameter::decimal("overhead_ns", "none is paid", "ns", "tests").default_val(0)};
    Param<bool> takes_posted_writes{
        *this, Parameter::boolean("takes_posted_writes", "these complete when they arrive", "tests")
                   .default_val(false)};
    Param<Fs> poll{
        *this, Parameter::decimal("poll_ns", "wakes up so often and does nothing; 0 = never", "ns",
                                  "tests")
                   .default_val(0)};
  };
  explicit SilentMemory(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward), parameters_(init.attributes),
        poll_event_("poll_event") {
    SC_HAS_PROCESS(SilentMemory);
    SC_METHOD(poll);
    sensitive << poll_event_;
  }

 private:
  Fs next_due() const override { return arrivals_.control_due(); }
  void serve() override {
    arrivals_.take_control(now(), 0, [this](const Arrival& arrival) {
      if (*parameters_.takes_posted_writes && arrival.transaction->route().posted)
        arrival.transaction->route().listener->completed(*arrival.transaction);
    });
  }
  void poll() {
    if (*parameters_.poll > 0) poll_event_.notify(fs(*parameters_.poll));
  }

  const Parameters parameters_;
  sc_core::sc_event poll_event_;
};

}  // namespace kernbench::test
