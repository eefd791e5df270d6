// The elaborated machine: owns every instance, runs the simulation and takes it down. One per
// process, as SystemC elaborates once.
//
//   ComponentRegistry registry;
//   register_builtin_components(registry);
//   Platform platform(build_graph(load_machine(file, {}, registry)), registry, {});
//   const RunResult result = platform.run(program);   // program: a HostProgram
//
// Destroyed in this order: links, components and scopes, the host, the payload pool, paths and
// tables, the graph.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "models/host/host.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/protocol_monitor.h"
#include "platform/assembly/describe_machine.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_routes.h"
#include "platform/assembly/run.h"

namespace kernbench {

struct PlatformOptions {
  FunctionalModel* data = nullptr;  // null: data off; outlives the platform
  bool check_protocol =
      false;              // a monitor at every connection (models/protocol/protocol_monitor.h)
  bool tear_down = true;  // false: the destructor leaves the modules to the end of the process
                          // (their destruction is quadratic)
};

class Platform final : private MachineServices {
 public:
  // Sets SystemC's time resolution to 1 fs, so no sc_time may have been made before. Throws
  // UsageError, AddressError or RoutingError for a machine that cannot be built.
  Platform(Graph graph, const ComponentRegistry& registry, const PlatformOptions& options);
  ~Platform() override;
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  // Runs the program on the host until it and its workers have returned and nothing is under way
  // any more. Once per process.
  RunResult run(HostProgram& program, const RunLimits& limits = {});
  // Without a program: until nothing is pending. For modules that drive components (traffic).
  RunResult run(const RunLimits& limits = {});

  const Graph& graph() const { return graph_; }
  const MachineDescription& machine() const override { return machine_; }
  const AddressMap& address_map() const { return *machine_.memory_map.layout(); }
  MachineRoutes& routes() override { return routes_; }
  TransactionPool& pool() override { return *pool_; }
  FunctionalModel* data() override { return options_.data; }
  std::uint64_t data_races() const;  // 0 with data off: not counted
  PendingWaits& pending_waits() override { return pending_waits_; }
  EndOfTimestep& end_of_timestep() override { return *end_of_timestep_; }
  Component& component(NodeId node) const { return modules_->component(node); }
  Host& host() const { return *host_; }
  // Null unless the protocol is checked.
  ProtocolMonitors* monitors() { return monitors_.get(); }
  const std::vector<MachineModules::LinkInstance>& links() const {
    return modules_->links();
  }  // LinkInstance::edge indexes graph().edges()
  // Observers bind here, from the constructor to the destructor.
  Observation& observation() override { return observation_; }
  MachineServices& services() { return *this; }

 private:
  void fatal(const sc_core::sc_object& where, const std::string& what) override;
  bool stopping() const override { return state_.stopping; }

  std::unique_ptr<ProtocolMonitors> make_monitors();
  RunResult finish(RunOutcome outcome);
  void check_unfinished(RunResult& result) const;
  bool end_blocked_launches();
  std::exception_ptr starvation() const;
  std::string running_programs(const std::vector<PendingWaits::Waiter>& waiters) const;
  std::exception_ptr blocked(const std::string& how) const;
  std::uint64_t work_done() const;

  PlatformOptions options_;
  Graph graph_;
  FabricEdges edges_;
  MachineDescription machine_;
  MachineRoutes routes_;
  PendingWaits pending_waits_;
  Observation observation_;
  RunState state_;
  std::unique_ptr<EndOfTimestep> end_of_timestep_;
  std::unique_ptr<TransactionPool> pool_;
  std::unique_ptr<ProtocolMonitors> monitors_;
  std::unique_ptr<Host> host_;
  std::unique_ptr<MachineModules> modules_;
};

}  // namespace kernbench
