// Signals of a fabric node: its inbox, the message in service, and the occupancy of the links at
// its outputs.
//
// Traversals are reported when they are handed over, arrivals and bookings of links before their
// time. They are stored here until then, with an event at each instant at which a signal changes.
// This happens only while one of the signals is observed; the event precedes the node's next one,
// so it does not extend a run.
//
// The message signal shows the message in service, or else one whose flits leave on a link, until
// its last byte has left. With several such messages it shows the one that leaves last. A message
// that takes no time and occupies no link stays until the next.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/node_id.h"
#include "models/base/trace_signal.h"
#include "models/protocol/observation.h"
#include "models/protocol/ring_buffer.h"

namespace kernbench {

class FabricTraceObserver;

class FabricSignals final : public SignalGroup {
 public:
  explicit FabricSignals(FabricNode& node);
  ~FabricSignals() override;

  // A flit or message is due to arrive at `arrival`.
  void announced(Fs arrival);
  // Call when the inbox or the message in service may have changed.
  void update() {
    if (observed()) show();
  }
  // Called by FabricTraceObserver.
  void served(const NodeTraversal& traversal);
  void left(const LinkTraversal& traversal, std::uint16_t output);

 private:
  struct Message {
    std::uint64_t id = 0, address = 0, bytes = 0;
    std::uint8_t kind = 0;
    bool in_memory = false;  // has an address
    NodeId source = no_node, destination = no_node;
  };
  struct Leaving {
    Message message;
    Fs until = 0;  // instant at which its last byte has left
  };
  struct Flit {
    Fs start = 0, end = 0;
    std::uint64_t id = 0;
    std::uint32_t bytes = 0;
  };
  struct Output {
    RingBuffer<Flit> flits;  // on the link, and handed over before their time
    TraceSignal *busy = nullptr, *waiting = nullptr, *bytes = nullptr, *transaction = nullptr;
  };

  void begin_observation() override;
  void end_observation() override;
  void add_output(std::size_t port, const char* socket);

  void show();
  void show_message(Fs now);
  void show(const Message& message);
  void clear_message();
  Fs show_output(Output& output, Fs now);  // returns when it changes next
  void look_at(Fs instant);
  static Message message_of(const Transaction& transaction);

  FabricNode& node_;
  std::shared_ptr<FabricTraceObserver> watch_;
  sc_core::sc_event changes_;
  bool has_process_ = false;

  Leaving leaving_, next_;  // next_: of the others, the last to have left
  bool stays_ = false;      // leaving_ is shown until the next

  TraceSignal &inbox_, &serving_, &transaction_, &kind_, &address_, &bytes_, &source_,
      &destination_;
  std::vector<Output> outputs_;
};

}  // namespace kernbench
