// Conformance of the two ends of a connection, checked by a monitor between their sockets
// (docs/contracts): monitors of services and of the fabric. A violation ends the run, with the
// names of both ends.
//
// Timing: none. Not checked: values.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/protocol/fabric_buffers.h"
#include "models/protocol/fabric_socket.h"
#include "models/protocol/ring_buffer.h"

namespace kernbench {

class ProtocolMonitor : public sc_core::sc_module {
 public:
  // Ends the run; the object is the near end.
  using Violated = std::function<void(const sc_core::sc_object&, const std::string&)>;
  // Sockets on its two sides.
  struct Connection {
    const sc_core::sc_object& near_end;
    const sc_core::sc_object& far_end;
    const Violated& violated;
  };

  ProtocolMonitor(const sc_core::sc_module_name& name, const Connection& connection)
      : sc_core::sc_module(name), connection_(connection) {}
  // Requests in flight at the end of a run that has completed; empty: none.
  virtual std::string unfinished() const = 0;
  // For deadlock reports: a line for each request that one end holds.
  virtual void add_held(std::vector<std::string>& /*lines*/) const {}

 protected:
  void violation(const std::string& what) const;
  // "sip0.cube0.pe0.pe_tcm holds the request 'access' of sip0.cube0.pe0.pe_dma since 12 ns:
  // BEGIN_RESP is missing".
  std::string held(const char* service, Fs since, const char* missing, bool by_near_end) const;

 private:
  Connection connection_;
};

// All monitors of a machine. Created where connections are to be monitored.
class ProtocolMonitors {
 public:
  explicit ProtocolMonitors(ProtocolMonitor::Violated violated) : violated_(std::move(violated)) {}

  // Creates a monitor for the connection of two ends, to be bound between them.
  template <class Monitor, class... More>
  Monitor& add(const sc_core::sc_object& near_end, const sc_core::sc_object& far_end,
               More&&... more) {
    auto monitor = std::make_unique<Monitor>(
        name_of_monitor(far_end).c_str(), ProtocolMonitor::Connection{near_end, far_end, violated_},
        std::forward<More>(more)...);
    Monitor& made = *monitor;
    all_.push_back(std::move(monitor));
    return made;
  }
  // Binds two sockets with a monitor between them.
  template <class Monitor, class Initiator, class Target, class... More>
  void bind(Initiator& near_end, Target& far_end, More&&... more) {
    Monitor& monitor = add<Monitor>(near_end, far_end, std::forward<More>(more)...);
    near_end.bind(monitor.in);
    monitor.out.bind(far_end);
  }
  // After a run that has completed: a line for each connection with something in flight.
  std::string unfinished() const;
  // At a deadlock: the requests of services in flight, each with the component that holds it.
  std::vector<std::string> held() const;
  // The node that holds a transaction on its present leg, and since when.
  struct Holder {
    NodeId node = no_node;
    Fs since = 0;
  };
  Holder holder_of(const Transaction& transaction) const;
  std::size_t size() const { return all_.size(); }

 private:
  static std::string name_of_monitor(const sc_core::sc_object& far_end);

  ProtocolMonitor::Violated violated_;
  std::vector<std::unique_ptr<ProtocolMonitor>> all_;
};

// Between two ends of the fabric (fabric_socket.h): a node and a link, or two nodes.
class FabricMonitor final : public ProtocolMonitor, private FabricForward, private FabricBackward {
 public:
  // Requirements on the times that the near end passes.
  struct Times {
    bool in_order = true;     // false between PE_DMA and PE_TCM: future runs are passed on
    bool not_in_past = true;  // false after a link: the node detects a sum that has wrapped round
  };
  // `from`, `to`: the nodes that the edge joins; `buffer`: of the input of `to`.
  FabricMonitor(const sc_core::sc_module_name& name, const Connection& connection, NodeId from,
                NodeId to, Times times, InputBuffer buffer = {});

  FabricTargetSocket in{"in"};
  FabricInitiatorSocket out{"out"};

  // Amount of a leg that has passed the edge: flits, or 1 for a control message.
  struct Traversal {
    std::uint64_t use = 0;  // Transaction::use of the transaction
    Leg leg = Leg::request;
    std::uint32_t passed = 0, of = 0;
    Fs last_arrival = 0;
  };

  std::string unfinished() const override;
  bool joins(NodeId from, NodeId to) const { return from == from_ && to == to_; }
  // Traversal of the current leg; null: nothing of it has passed.
  const Traversal* traversal_of(const Transaction& transaction) const;

 private:
  void accept(Transaction& transaction, FlitRun run, Fs arrival) override;
  bool takes_runs() const override { return out->takes_runs(); }
  void accept_run(Transaction& transaction, FlitRun run, Fs arrival, Fs spacing) override;
  void recall(Transaction& transaction, std::uint32_t position, std::uint32_t flit) override;
  void check(const Transaction& transaction, FlitRun run, Fs arrival, Fs last_arrival);
  void check_place(const RouteExtension& route, FlitRun run);
  void check_flits(const Transaction& transaction, FlitRun run, Fs arrival);
  void check_time(const RouteExtension& route, Fs arrival, Fs last_arrival);
  void check_credits(const Transaction& transaction, FlitRun run, Fs at);
  void credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return out->transport_dbg(payload);
  }

  // A virtual channel of the receiver.
  struct Channel {
    const Transaction* holder = nullptr;
    std::uint32_t away = 0;  // credits, those in `coming` included
    RingBuffer<Fs> coming;   // instants at which credits return, in order
  };

  NodeId from_, to_;
  Times times_;
  InputBuffer buffer_;
  std::vector<Channel> channels_;
  std::unordered_map<const Transaction*, Traversal>
      traversals_;         // latest traversal of each transaction; for look-up only
  std::size_t begun_ = 0;  // legs that have passed in part
  Fs last_flit_ = 0, last_control_ = 0, last_host_control_ = 0;
};

}  // namespace kernbench
