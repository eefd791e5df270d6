// A small machine for tests of fabric nodes: real links, paths and pool, no YAML. Inside a forked
// child:
//
//   MiniMachine m({"a", "r", "z"});  // all names first: node ids are their byte order
//   StubNode& a = m.stub("a");
//   m.add<Router>("r", {{"overhead_ns", "2"}});  // the rest: defaults and facts of the machine
//   StubNode& z = m.stub("z");
//   m.connect("a", "r", {"256", 1});  // both directions: GB/s, propagation in fs
//   m.connect("r", "z", {"256", 1});
//   m.elaborate();  // now is 0
//   a.send_at(m.write("a", "z", 0, 1024), 5 * fs_per_ns);  // in ascending order per source
//   m.run();  // checks that nothing broke and that no transaction is left over
//   z.records() ...
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "models/fabric/serial_ingress.h"
#include "models/noc/link.h"
#include "models/protocol/fabric_calendar.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench::test {

// An arrival at a stub; lists are in order of (time, tie rule).
struct Received {
  Fs time = 0;
  TieKey key;
  std::uint32_t flit = 0;
  std::uint32_t bytes = 0;  // 0 = control message
  NodeId upstream = 0;
  Leg leg = Leg::request;
};

// Source, sink, or the end of responses; without overhead. A message that arrives as a whole ends
// there: its owner is notified.
class StubNode final : public FabricNode {
 public:
  explicit StubNode(const ComponentInit& init);

  // Hands the request over to the link of its path at `at` (now or later, in ascending order): all
  // flits, or the command.
  void send_at(Transaction& transaction, Fs at);
  // One flit of it.
  void send_flit_at(Transaction& transaction, std::uint32_t flit, Fs at) {
    send(transaction, flit, 1, 0, at);
  }
  const std::vector<Received>& records() const { return records_; }
  std::vector<Fs> times() const;

 private:
  Fs next_due() const override { return ingress_.next_due(); }
  bool takes_runs() const override { return true; }
  void serve() override;

  SerialIngress ingress_;
  std::vector<Received> records_;
};

// Busy times as booked; others as observers read them now.
inline std::uint64_t statistic_of(const Component& component, const std::string& name) {
  for (const Statistic& statistic : component.statistics()) {
    if (statistic.name != name) continue;
    return statistic.is_busy_time() ? *statistic.value : statistic.at(Component::now());
  }
  throw std::logic_error(std::string(component.name()) + " has no statistic '" + name + "'");
}

struct MiniLink {
  std::string bw_gbs = "0";  // 0 = unlimited
  Fs propagation_fs = 1;
};

// The host of a pcie_ep.
struct HostStub final : sc_core::sc_module {
  explicit HostStub(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  ServiceInitiator<Transaction> to_pcie_ep;
};

class MiniMachine final : public MachineServices, private Routes, private TransactionListener {
 public:
  struct Completed {
    Fs time = 0;
    std::uint64_t tag = 0;  // position of its request among all requests
  };

  explicit MiniMachine(std::vector<std::string> names, std::uint32_t flit_bytes = 256);
  ~MiniMachine() override;

  NodeId id(const std::string& name) const;
  template <class T>
  T& add(const std::string& name, const std::map<std::string, std::string>& attributes = {}) {
    const Attributes resolved = resolve(schema_of<typename T::Parameters>(), attributes);
    auto made = make_component<T>({name.c_str(), id(name), resolved, *this});
    T& component = *made;
    nodes_[id(name)] = std::move(made);
    return component;
  }
  StubNode& stub(const std::string& name);
  void connect(const std::string& a, const std::string& b, const MiniLink& link = {}) {
    connect(a, b, link, link);
  }
  void connect(const std::string& a, const std::string& b, const MiniLink& there,
               const MiniLink& back);
  // Path from the first to the last of these nodes, instead of the one with the fewest hops; that
  // of its responses is the reverse. After connect().
  void set_path(const std::vector<std::string>& nodes);
  // Flits are handed over in runs where a node takes them.
  void use_runs() { observation_.single_flits = false; }
  // Makes sockets and links, and starts SystemC at time 0.
  void elaborate();

  // Fewest hops, then lowest ids.
  const Path& path(const std::string& from, const std::string& to) {
    return path(id(from), id(to));
  }
  const Link& link(const std::string& from, const std::string& to) const;
  Link& link(const std::string& from, const std::string& to);

  // Requests, ready to be sent. The machine owns them until they are completed. `issued` goes into
  // the id.
  Transaction& write(const std::string& from, const std::string& to, std::uint64_t offset,
                     unsigned bytes, Fs issued = 0);
  Transaction& posted_write(const std::string& from, const std::string& to, std::uint64_t offset,
                            unsigned bytes, Fs issued = 0);
  Transaction& read(const std::string& from, const std::string& to, std::uint64_t offset,
                    unsigned bytes, Fs issued = 0);
  Transaction& control(const std::string& from, const std::string& to, Fs issued = 0,
                       bool host_control = false);

  // Issues a request now, as the host does, at the pcie_ep where it starts.
  void issue(Transaction& transaction);

  // Runs until nothing is left; throws what a component reported as fatal, and when transactions
  // are outstanding.
  void run();
  const std::vector<Completed>& completions() const { return completions_; }
  // By position of the request; never_fs if it has not ended.
  Fs completed_at(std::uint64_t tag) const;

  const ProtocolMonitors& monitors() const { return monitors_; }
  TransactionPool& pool() override { return pool_; }
  Routes& routes() override { return *this; }
  // Names of the nodes only: no machine of SIPs and cubes.
  const MachineDescription& machine() const override { return description_; }
  FunctionalModel* data() override { return nullptr; }
  void fatal(const sc_core::sc_object& where, const std::string& what) override;
  PendingWaits& pending_waits() override { return pending_waits_; }
  EndOfTimestep& end_of_timestep() override { return end_of_timestep_; }
  FabricCalendar& calendar() override { return calendar_; }
  Observation& observation() override { return observation_; }

 private:
  struct Edge {
    NodeId from, to;
    MiniLink link;
  };

  const Path& memory_path(NodeId initiator, NodeId memory) override {
    return path(initiator, memory);
  }
  const Path& control_path(NodeId source, NodeId target) override { return path(source, target); }
  void completed(Transaction& transaction) override;

  const Path& path(NodeId from, NodeId to);
  Attributes resolve(const ParameterSchema& schema,
                     const std::map<std::string, std::string>& attributes) const;
  std::vector<NodeId> shortest(NodeId from, NodeId to) const;
  std::vector<PathHop> hops_of(const std::vector<NodeId>& nodes) const;
  Transaction& request(tlm::tlm_command command, const std::string& from, const std::string& to,
                       std::uint64_t offset, unsigned bytes, Fs issued);

  std::vector<std::string> names_;  // sorted
  MachineDescription description_;
  std::uint32_t flit_bytes_;
  Observation observation_;
  TransactionPool pool_{&observation_.transaction_ends};
  PendingWaits pending_waits_;
  EndOfTimestep end_of_timestep_{"end_of_timestep"};
  FabricCalendar calendar_{"fabric_calendar"};
  std::vector<std::unique_ptr<FabricNode>> nodes_;
  ProtocolMonitors monitors_{
      [this](const sc_core::sc_object& where, const std::string& what) { fatal(where, what); }};
  std::map<NodeId, std::unique_ptr<HostStub>> hosts_;  // by pcie_ep
  std::vector<Edge> edges_;                            // sorted by (from, to) once elaborated
  std::vector<std::unique_ptr<Link>> links_;
  std::map<std::pair<NodeId, NodeId>, std::unique_ptr<Path>> paths_;
  std::vector<std::unique_ptr<Path>> reverses_;  // of set_path()
  std::vector<TransactionHandle> requests_;
  std::vector<std::uint32_t> counts_;  // of requests, per initiator
  std::vector<Completed> completions_;
  std::string fault_;
};

}  // namespace kernbench::test
