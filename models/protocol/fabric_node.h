// Base class of every node of the fabric: its ports, its inbox and the one event that wakes it.
//
// Timing: none of its own. accepted() files the future arrival; the node's single SC_METHOD runs at
// next_due().
#pragma once

#include <boost/container/flat_map.hpp>
#include <memory>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/arrival_queue.h"
#include "models/protocol/fabric_buffers.h"
#include "models/protocol/fabric_socket.h"
#include "models/protocol/observation.h"

namespace kernbench {

class FabricSignals;  // models/protocol/fabric_signals.h

class FabricNode : public Component {
 public:
  ~FabricNode() override;

  // Assembly calls these once per edge, before the end of elaboration, peers in ascending order;
  // the order gives the port numbers that paths use.
  // `peer`: its name in that of the socket, "from_r0c0", "to_sip0_cube1_ucie_w".
  FabricTargetSocket& add_input(NodeId upstream, const std::string& peer);
  // `has_link`: no other edge shows how it is occupied.
  FabricInitiatorSocket& add_output(const std::string& peer, bool has_link = true);
  // Between that output and what it is bound to, where one of the two ends has finite buffers.
  void buffer_output(std::unique_ptr<BufferedOutput> output);
  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  // Of every input; assembly asks before it binds.
  virtual InputBuffer input_buffer() const { return {}; }

  // For the node and its parts.
  //
  // To be called whenever next_due() may have become earlier.
  void rearm();
  // Hands a run over to the link behind `position` of its path; `at` is now or later, in order per
  // link.
  void send(Transaction& transaction, std::uint32_t flit, std::uint32_t count,
            std::uint32_t position, Fs at) {
    const std::uint16_t port = transaction.route().path->out_port(position);
    link_of(port)->accept(transaction, {flit, count, position + 1}, at);
  }
  // A control message that starts here, now. One of the host is announced to its target at once
  // where the nodes on its way do nothing with it but delay it and traversals are not observed.
  void send_message(Transaction& transaction);
  // The same from a place of a finite buffer of this node: left() reports when it is free.
  void send_from(BufferPlace place, Transaction& transaction, std::uint32_t flit,
                 std::uint32_t count, std::uint32_t position, Fs at);
  // The last byte of a flit from `place` leaves at `at`, now or later. The default returns the
  // credit of an input. Never sends.
  virtual void left(BufferPlace place, Fs at) { return_credit(place, at); }

 protected:
  FabricNode(const ComponentInit& init, ArrivalQueue::Forwarding forwarding);

  // A run that reaches input `port` at `arrival` (see FabricForward::accept). The default files it
  // in arrivals_; a node that handles some arrivals separately overrides this, and calls rearm().
  virtual void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival);
  // The earliest instant at which serve() has something to do; never_fs if none. May be called at
  // any time.
  virtual Fs next_due() const = 0;
  // Does everything that is due now. It may be called when nothing is. An exception ends the run.
  virtual void serve() = 0;
  // transport_dbg of a payload that ends at this node, `offset` in its memory: returns the number
  // of bytes read or written, in no time. A node without a memory has none.
  virtual unsigned debug_access(tlm::tlm_generic_payload& /*payload*/, std::uint64_t /*offset*/) {
    return 0;
  }
  // transport_dbg along the path of the transaction, from this node on.
  unsigned transport_debug(tlm::tlm_generic_payload& payload);
  // FabricForward::get_direct_route() for what passes this node, `position` of the path. The
  // default: this node is to see each message.
  virtual bool pass_directly(const Path& /*path*/, std::uint32_t /*position*/,
                             DirectRoute& /*route*/) {
    return false;
  }
  // The same from the link behind `position` on.
  bool get_direct_route(const Path& path, std::uint32_t position, DirectRoute& route);
  // A run has been served: it arrived at arrival.time, its service began at `start` and ends now.
  void report_traversal(const Arrival& arrival, Fs start) const {
    if (observation_.node_traversals.observed()) write_traversal(arrival, start);
  }

  // What the signals show; asked for while they are observed only.
  //
  // Flits and messages that have come and have not been served.
  virtual std::size_t depth(Fs now) const { return arrivals_.present(now); }
  // The one in service, or the first of several; null: none.
  virtual const Arrival* in_service(Fs now) const { return arrivals_.first_present(now); }
  // The place of an input's virtual channel is free from `at` on.
  void return_credit(BufferPlace place, Fs at);
  // To be called when either has changed outside of serve() and accepted().
  void show() {
    if (signals_ != nullptr) update_signals();
  }
  void declare_signals() override;

 private:
  friend class FabricSignals;
  friend class BufferedOutput;
  class Input;
  class Output;

  void wake();
  // A run that ends here and is not the next one of its message: ends the simulation.
  void refuse_flits(const Transaction& transaction, FlitRun run);
  void update_signals();
  void write_traversal(const Arrival& arrival, Fs start) const;
  FabricForward* link_of(std::uint32_t port) {
    FabricForward* link = links_[port];
    return link != nullptr ? link : find_link(port);
  }
  FabricForward* find_link(std::uint32_t port);

  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<std::unique_ptr<Output>> outputs_sinks_;
  std::vector<std::unique_ptr<FabricInitiatorSocket>> outputs_;
  std::vector<bool> has_link_;                             // by output
  std::vector<std::unique_ptr<BufferedOutput>> buffered_;  // by output; null: no finite buffers
  std::unique_ptr<CreditStatistics> credit_statistics_;    // null: no output waits for credits
  // Of messages that start here.
  boost::container::flat_map<const Path*, std::unique_ptr<DirectRoute>> direct_routes_;

  // From here on: members that every flit touches, side by side.
  sc_core::sc_event wake_;

 protected:
  ArrivalQueue arrivals_;

 private:
  std::vector<FabricForward*> links_;  // what outputs_ are bound to; null until the first use
  Fs armed_ =
      never_fs;  // when wake_ is due; 0 while serve() runs, after which next_due() is called anyway
  const Observation& observation_;
  std::unique_ptr<FabricSignals> signals_;  // null until they are asked for
};

}  // namespace kernbench
