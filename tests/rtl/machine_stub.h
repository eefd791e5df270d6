// The services of a machine for a component alone: faults are kept, and end the simulation.
#pragma once

#include <stdexcept>
#include <string>

#include "models/base/component_fault.h"
#include "models/protocol/fabric_calendar.h"
#include "models/protocol/machine_services.h"

namespace kernbench::test {

class MachineStub final : public MachineServices {
 public:
  PendingWaits& pending_waits() override { return pending_waits_; }
  EndOfTimestep& end_of_timestep() override { return end_of_timestep_; }
  FabricCalendar& calendar() override { return calendar_; }
  Observation& observation() override { return observation_; }
  TransactionPool& pool() override { throw std::logic_error("there is no pool"); }
  Routes& routes() override { throw std::logic_error("there are no routes"); }
  const MachineDescription& machine() const override { throw std::logic_error("no machine"); }
  FunctionalModel* data() override { return nullptr; }
  void fatal(const sc_core::sc_object& where, const std::string& what) override {
    if (fault.empty()) fault = std::string(where.name()) + ": " + what;
    sc_core::sc_stop();
  }

  std::string fault;

 private:
  PendingWaits pending_waits_;
  EndOfTimestep end_of_timestep_{"end_of_timestep"};
  FabricCalendar calendar_{"fabric_calendar"};
  Observation observation_;
};

}  // namespace kernbench::test
