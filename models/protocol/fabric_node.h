// Base class of every node of the fabric: its ports, its inbox, and when it is woken.
//
// Timing: none of its own. accepted() files the future arrival; the node is woken at next_due(),
// by the calendar of the fabric (fabric_calendar.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "models/base/small_vector.h"
#include "models/protocol/arrival_queue.h"
#include "models/protocol/fabric_arena.h"
#include "models/protocol/fabric_buffers.h"
#include "models/protocol/fabric_socket.h"
#include "models/protocol/observation.h"

namespace kernbench {

class FabricCalendar;  // models/protocol/fabric_calendar.h
class FabricSignals;   // models/protocol/fabric_signals.h

class FabricNode : public Component, public InFabricArena {
 public:
  ~FabricNode() override;

  // Assembly calls these once per edge, before the end of elaboration, peers in ascending order;
  // the order defines the port numbers that paths use. `peer`: the peer's name within the socket's
  // name, "from_r0c0", "to_sip0_cube1_ucie_w".
  FabricTargetSocket& add_input(NodeId upstream, const std::string& peer);
  // `has_link`: only such an edge reports its occupancy.
  FabricInitiatorSocket& add_output(const std::string& peer, bool has_link = true);
  // Inserts a buffer between an output and its binding, where one of the two ends has finite
  // buffers.
  void buffer_output(std::unique_ptr<BufferedOutput> output);
  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  // Buffer of every input; assembly queries it before binding.
  virtual InputBuffer input_buffer() const { return {}; }

  // Interface for the node and its parts.
  //
  // Call whenever next_due() may have become earlier.
  void rearm();
  // Hands a run over to the link after `position` of its path; `at` is now or later, in order per
  // link.
  void send(Transaction& transaction, std::uint32_t flit, std::uint32_t count,
            std::uint32_t position, Fs at) {
    if (count > 1) return send_run(transaction, flit, count, position, at, 0);
    const std::uint16_t port = transaction.route().path->out_port(position);
    link_of(port)->accept(transaction, {flit, count, position + 1}, at);
  }
  // Hands over flits [flit, flit + count), the i-th at `at` + i * spacing. Those that are handed
  // over later than now need an output that takes runs, and may be withdrawn by recall().
  void send_run(Transaction& transaction, std::uint32_t flit, std::uint32_t count,
                std::uint32_t position, Fs at, Fs spacing);
  void recall(std::uint32_t port, Transaction& transaction, std::uint32_t position,
              std::uint32_t flit) {
    link_of(port)->recall(transaction, position + 1, flit);
  }
  // Whether the receiver at an output takes runs of flits; constant during a run.
  bool output_takes_runs(std::uint32_t port) {
    const std::int8_t known = output_takes_runs_[port];
    return known >= 0 ? known != 0 : find_output_takes_runs(port);
  }
  // The same for all outputs without a link.
  bool direct_outputs_take_runs() const;
  // Sends a control message that starts here, now. A host message is announced to its target at
  // once if the nodes on its path only delay it and traversals are not observed.
  void send_message(Transaction& transaction);
  // Sends from a place of a finite buffer of this node: left() reports when it is free.
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
  // Whether the inputs take runs of flits. A node that overrides accepted() also overrides
  // accepted_run() and recalled() to do so.
  virtual bool takes_runs() const { return false; }
  // The i-th flit of the run reaches input `port` at arrival + i * spacing. See accepted().
  virtual void accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                            Fs spacing);
  // See FabricForward::recall().
  virtual void recalled(std::uint32_t port, Transaction& transaction, std::uint32_t position,
                        std::uint32_t flit);
  // Earliest instant at which serve() has work; never_fs if none. May be called at any time.
  virtual Fs next_due() const = 0;
  // Does all work that is due now. May be called without work. An exception ends the run.
  virtual void serve() = 0;
  // transport_dbg of a payload that ends at this node, `offset` in its memory: returns the number
  // of bytes read or written, in no time. A node without a memory returns 0.
  virtual unsigned debug_access(tlm::tlm_generic_payload& /*payload*/, std::uint64_t /*offset*/) {
    return 0;
  }
  // transport_dbg along the path of the transaction, from this node on.
  unsigned transport_debug(tlm::tlm_generic_payload& payload);
  // FabricForward::get_direct_route() for messages that pass this node, `position` of the path.
  // Default: the node has to process each message.
  virtual bool pass_directly(const Path& /*path*/, std::uint32_t /*position*/,
                             DirectRoute& /*route*/) {
    return false;
  }
  // Direct route from the link after `position`.
  bool get_direct_route(const Path& path, std::uint32_t position, DirectRoute& route);
  // Reports a served run: it arrived at arrival.time, its service began at `start` and ends now.
  void report_traversal(const Arrival& arrival, Fs start) const {
    if (observation_.node_traversals.observed()) write_traversal(arrival, start);
  }

  // Signal values, queried only while the signals are observed.
  //
  // Flits and messages that have arrived and have not been served.
  virtual std::size_t depth(Fs now) const { return arrivals_.present(now); }
  // Arrival in service, or the first of several; null: none.
  virtual const Arrival* in_service(Fs now) const { return arrivals_.first_present(now); }
  // The place of an input's virtual channel is free from `at` on.
  void return_credit(BufferPlace place, Fs at);
  // Call when either has changed outside of serve() and accepted().
  void show() {
    if (signals_ != nullptr) update_signals();
  }
  void declare_signals() override;

 private:
  friend class FabricSignals;
  friend class BufferedOutput;
  friend class FabricCalendar;  // wakes it
  class Input;
  class Output;

  void wake();
  // Ends the simulation for a run that ends here and is not the next one of its message.
  void refuse_flits(const Transaction& transaction, FlitRun run);
  void update_signals();
  void write_traversal(const Arrival& arrival, Fs start) const;
  FabricForward* link_of(std::uint32_t port) {
    FabricForward* link = links_[port];
    return link != nullptr ? link : find_link(port);
  }
  FabricForward* find_link(std::uint32_t port);
  bool find_output_takes_runs(std::uint32_t port);

  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<std::unique_ptr<Output>> outputs_sinks_;
  std::vector<std::unique_ptr<FabricInitiatorSocket>> outputs_;
  std::vector<bool> has_link_;                             // by output
  std::vector<std::unique_ptr<BufferedOutput>> buffered_;  // by output; null: no finite buffers
  std::unique_ptr<CreditStatistics> credit_statistics_;    // null: no output waits for credits
  // Direct routes of messages that start here.
  FlatMap<const Path*, std::unique_ptr<DirectRoute>> direct_routes_;

  // Members that every flit touches are contiguous, with their elements: on a machine that exceeds
  // the caches, a node costs as much time as the cache lines that it touches.
  FabricCalendar& calendar_;
  // When it will be woken; 0 from then to the end of serve(), after which next_due() is called
  // anyway.
  Fs armed_ = never_fs;

 protected:
  ArrivalQueue arrivals_;

 private:
  static constexpr std::size_t usual_outputs = 8;
  // By output: its binding, null until the first use; whether it takes runs, -1: not known yet.
  SmallVector<FabricForward*, usual_outputs> links_;
  SmallVector<std::int8_t, usual_outputs> output_takes_runs_;
  const Observation& observation_;
  std::unique_ptr<FabricSignals> signals_;  // null until requested
};

}  // namespace kernbench
