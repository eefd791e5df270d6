// The base of every node of the fabric: its ports, its inbox and the one event that wakes it.
//
// Timing: none of its own. accept() files the future arrival; the node's single SC_METHOD runs at next_due().
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/arrival_queue.h"
#include "models/protocol/fabric_socket.h"

namespace kernbench {

class FabricNode : public Component {
 public:
  // Assembly calls these once per edge, before the end of elaboration, peers in ascending order; the order gives the port numbers
  // that paths use.
  FabricTargetSocket& add_input(NodeId upstream);
  FabricInitiatorSocket& add_output(NodeId downstream);
  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }

 protected:
  FabricNode(const ComponentInit& init, ArrivalQueue::Keep keep);

  // The earliest instant at which serve() has something to do; never_fs if none. May be asked at any time.
  virtual Fs next_due() const = 0;
  // Does everything that is due now.
  virtual void serve() = 0;
  // To be called whenever next_due() may have become earlier.
  void rearm();

  // Hands a run over to the wire behind `position` of its path; `at` is now or later, in order per wire.
  void send(Transaction& transaction, std::uint32_t flit, std::uint32_t count, std::uint32_t position, Fs at) {
    const std::uint16_t port = transaction.route().path->hop(position).out_port;
    (*outputs_[port])->accept(transaction, {flit, count, position + 1}, at);
  }

  ArrivalQueue arrivals_;

 private:
  class Input;
  class Output;

  void wake();

  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<std::unique_ptr<Output>> outputs_sinks_;
  std::vector<std::unique_ptr<FabricInitiatorSocket>> outputs_;
  sc_core::sc_event wake_;
  Fs armed_ = never_fs;
};

}  // namespace kernbench
