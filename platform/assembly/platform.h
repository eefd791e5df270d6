// Elaborated machine: owns every instance, runs the simulation and destroys it.
//
//   ComponentRegistry registry;
//   register_builtin_components(registry);
//   Platform platform(build_graph(load_machine(file, {}, registry)), registry, {});
//   const RunResult result = platform.run(program);   // program: a HostProgram
//
// Programs that use the installed package create one by MachineBuilder (machine_builder.h).
//
// If it is constructed in the constructor of an external module, all its objects are children of
// that module (machine_root.h). Several machines of a process are each built in a module of their
// own, and run together by run_together() (shared_run.h), or under an sc_start of the caller
// (docs/use-as-a-library.md).
//
// Order of destruction: links, components and scopes, the host, the payload pool, paths and tables,
// the graph.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "models/protocol/cube_id.h"
#include "models/protocol/host_port.h"
#include "models/protocol/machine_services.h"
#include "platform/assembly/run.h"

namespace kernbench {

class AddressMap;         // models/address
class ComponentRegistry;  // models/base
class FabricEdges;
class Graph;          // platform/topology
class Host;           // models/host
struct LinkInstance;  // machine_modules.h
class MachineModules;
class ElaboratedPart;
class MachineRoot;
class MachineRoutes;
class ProtocolMonitors;  // models/protocol

struct PlatformOptions {
  FunctionalModel* data = nullptr;  // null: data off; outlives the platform
  bool check_protocol =
      false;                  // a monitor at every connection (models/protocol/protocol_monitor.h)
  bool single_flits = false;  // every flit has an event of its own at each node (spec 2.11)
  // Cubes that are used: only what they can reach is elaborated (elaborated_part.h). Empty: all.
  std::vector<CubeId> cubes = {};
  bool tear_down = true;  // false: the destructor leaves the modules to the end of the process
                          // (their destruction is quadratic)
};

class Platform final : private MachineServices {
 public:
  // Sets SystemC's time resolution to 1 fs unless it is set already; no sc_time of another
  // resolution may exist. Throws UsageError, AddressError or RoutingError for a machine that cannot
  // be built, Error for a plain TLM-2.0 module that cannot.
  Platform(Graph graph, const ComponentRegistry& registry, const PlatformOptions& options);
  ~Platform() override;
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  // Runs the program on the host until it and its workers have returned and no transaction is in
  // flight. Once per process.
  RunResult run(HostProgram& program, const RunLimits& limits = {});
  // Runs without a program until no event is pending. For modules that drive components (traffic).
  RunResult run(const RunLimits& limits = {});

  // --- A run in parts, under run_together() or an sc_start of the caller.
  //
  // Called before the simulation starts. The program outlives it.
  void set_program(HostProgram& program);
  // True if the machine has failed, or its program has ended and no transaction is in flight.
  bool ended() const;
  // Notified at least once in the delta after that: wait until ended().
  const sc_core::sc_event& ended_event() const { return ended_event_; }
  // Called when no event is pending: starts whatever can still end (launches under collect_all
  // whose peers have failed). Returns true if the simulation shall continue.
  bool unblock();
  // Result between two sc_starts, or after the last one: completed, failed, deadlock (no event is
  // pending and a process waits), else until_reached. With data on, recorded data is resolved.
  RunResult result();

  // Name of the enclosing module; empty at the top. SystemC names begin with it.
  const std::string& name() const;
  const Graph& graph() const { return *graph_; }
  const MachineDescription& machine() const override { return machine_; }
  const AddressMap& address_map() const { return *machine_.memory_map.layout(); }
  Routes& routes() override;
  MachineRoutes& machine_routes() { return *routes_; }
  TransactionPool& pool() override { return *pool_; }
  FunctionalModel* data() override { return options_.data; }
  std::uint64_t data_races() const;  // 0 with data off: not counted
  PendingWaits& pending_waits() override { return pending_waits_; }
  EndOfTimestep& end_of_timestep() override { return *end_of_timestep_; }
  FabricCalendar& calendar() override { return *calendar_; }
  // Elaborated part of the machine.
  const ElaboratedPart& part() const { return *part_; }
  // Throws UsageError that names the node if it has not been elaborated.
  Component& component(NodeId node) const;
  Component* find_component(NodeId node) const;       // null if it has not been elaborated
  const std::vector<Component*>& components() const;  // elaborated ones, by NodeId
  Component& host() const;
  // Null unless the protocol is checked.
  ProtocolMonitors* monitors() { return monitors_.get(); }
  const std::vector<LinkInstance>& links() const;  // LinkInstance::edge indexes graph().edges()
  const FabricEdges& fabric_edges() const { return *edges_; }
  // Observers subscribe here, from the constructor to the destructor.
  Observation& observation() override { return observation_; }
  MachineServices& services() { return *this; }

 private:
  void fatal(const sc_core::sc_object& where, const std::string& what) override;
  bool stopping() const override;

  friend class SharedRun;  // shared_run.cpp
  class IdleListener;

  std::unique_ptr<ProtocolMonitors> make_monitors();
  bool is_done() const;
  void program_ended(const std::exception_ptr& error);
  RunResult result_so_far(RunStatus status) const;
  void check_pool(RunResult& result) const;
  void check_connections(RunResult& result) const;
  std::exception_ptr starvation() const;
  std::string running_programs() const;
  std::exception_ptr blocked(const std::string& how) const;
  std::uint64_t work_done() const;

  PlatformOptions options_;
  std::unique_ptr<MachineRoot> root_;
  std::unique_ptr<const Graph> graph_;
  std::unique_ptr<const ElaboratedPart> part_;
  std::unique_ptr<const FabricEdges> edges_;
  MachineDescription machine_;
  std::unique_ptr<MachineRoutes> routes_;
  PendingWaits pending_waits_;
  Observation observation_;
  RunState state_;
  sc_core::sc_event ended_event_;
  std::unique_ptr<IdleListener> idle_listener_;  // from the end of the program on
  std::unique_ptr<EndOfTimestep> end_of_timestep_;
  std::unique_ptr<FabricCalendar> calendar_;
  std::unique_ptr<TransactionPool> pool_;
  std::unique_ptr<ProtocolMonitors> monitors_;
  std::unique_ptr<Host> host_;
  std::unique_ptr<MachineModules> modules_;
};

}  // namespace kernbench
