// Virtual-channel router: input queues, a pipeline, allocation of virtual channels and of the
// switch, credits (Dally and Towles, Principles and Practices of Interconnection Networks, 2004,
// chapters 16 to 19; the input-queued router of BookSim 2).
//
// Timing (spec 2.10), in cycles of clock_ghz, whose edges are at multiples of the period. Each
// virtual channel of each input has a queue, which a flit enters at the edge at or after its
// arrival. A first flit at the head of its queue obtains a free virtual channel of the next node
// pipeline_cycles - 1 edges later (with 1: one edge later) and may be granted the switch one edge
// after that (with 1: at the same edge); a later flit may be granted the switch one
// edge after it has become the head. In each cycle the switch connects each input to at most one
// output and each output to at most one input, among flits with a credit. A granted flit is handed
// over to the link one period later: at zero load pipeline_cycles + 1 periods after its arrival, a
// later flit 2. A flit is not granted while the link would delay it by a period or more. Control
// messages leave pipeline_cycles + 1 periods after their arrival, not at edges; they neither wait
// nor occupy a place. Not modelled: route decisions, speculative allocation, sharing of buffers
// among channels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/parameter_set.h"
#include "models/noc/output_owner.h"
#include "models/noc/switch_allocator.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

class VcOutput;  // models/noc/vc_output.h

// Parameters of every virtual-channel router, and base of those of an allocator.
struct VcRouterParameters : ParameterSet {
  using ParameterSet::ParameterSet;
  Param<Rational> clock_ghz{
      *this, Parameter::frequency_ghz("clock_ghz", "clock; its period is rounded to femtoseconds",
                                      "spec 2.10")
                 .default_val(1)};
  Param<std::uint32_t> pipeline_cycles{
      *this, Parameter::integer("pipeline_cycles",
                                "from the edge at which a first flit is the head of its queue to "
                                "the earliest grant of the switch",
                                "cycles", "spec 2.10")
                 .default_val(2)
                 .range(1, 64)};
  Param<std::uint32_t> buffer_flits{
      *this, Parameter::integer("buffer_flits", "buffer depth of each virtual channel of an input",
                                "flits", "spec 2.10")
                 .default_val(8)
                 .range(1, 65536)};
  Param<std::uint32_t> virtual_channels{
      *this,
      Parameter::integer("virtual_channels", "virtual channels of each input", "", "spec 2.10")
          .default_val(4)
          .range(1, 64)};

  Fs period() const { return cycles_to_fs(1, *clock_ghz); }
};

class VcRouter : public FabricNode, public OutputOwner {
 public:
  static constexpr const char* description =
      "router with input queues per virtual channel, a pipeline, and switch allocation";
  static constexpr std::array roles{Role::router};
  struct Parameters : VcRouterParameters {
    using VcRouterParameters::VcRouterParameters;
    Param<std::string> allocator{
        *this, Parameter::choice("allocator",
                                 "switch allocation: separable round robin, iSLIP, or the oldest "
                                 "transaction first",
                                 {"round_robin", "islip", "age"}, "spec 2.10")
                   .default_val("round_robin")};
    Param<std::uint32_t> islip_iterations{
        *this,
        Parameter::integer("islip_iterations", "iterations of islip in a cycle", "", "spec 2.10")
            .default_val(1)
            .range(1, 16)};
  };
  explicit VcRouter(const ComponentInit& init);

  InputBuffer input_buffer() const override;
  std::unique_ptr<BufferedOutput> make_output(FabricInitiatorSocket& output, Downstream downstream,
                                              const Rational& bw_gbs,
                                              std::uint32_t flit_bytes) override;

  // Interface for the outputs.
  //
  // There may be work at the first edge at or after `instant`, which is now or later.
  void work_from(Fs instant) {
    due_ = std::min(due_, edge_from(instant));
    rearm();
  }
  // Flits that lack a credit or a virtual channel of an output, for the deadlock report.
  std::string starved_at(std::uint32_t output) const;

 protected:
  // A router with the allocator of a plug-in.
  VcRouter(const ComponentInit& init, const VcRouterParameters& parameters,
           std::unique_ptr<SwitchAllocator> allocator);

 private:
  // Queue of one virtual channel of an input.
  struct Queue {
    RingBuffer<Arrival> flits;
    Fs ready = 0;                 // edge of the next step of the head
    Fs starved_since = never_fs;  // edge since which the head lacks a credit or a channel
    const Transaction* transaction = nullptr;  // message of the head
    std::uint32_t next = 0;         // flit of the message that is expected next; 0: a first flit
    std::uint32_t output = 0;       // output of the message
    std::uint32_t out_channel = 0;  // virtual channel of the next node, once allocated
  };
  // Sets of queues whose heads wait for a virtual channel, and for the switch, by bit.
  struct Input {
    std::uint64_t to_allocate = 0, to_switch = 0;
    std::uint32_t next_channel = 0;  // channel with priority
  };
  struct Granted {
    Arrival flit;
    std::uint32_t output = 0, out_channel = 0;
  };

  void end_of_elaboration() override;
  Fs next_due() const override;
  void serve() override;
  std::size_t depth(Fs now) const override { return arrivals_.present(now) + inside_; }
  const Arrival* in_service(Fs now) const override {
    return granted_.empty() ? FabricNode::in_service(now) : &granted_.front().flit;
  }

  void cycle(Fs at);
  void hand_over(Fs at);
  void take_arrivals(Fs at);
  void set_head(std::uint32_t queue, Fs at);
  void await_switch(std::uint32_t queue);
  void allocate_channels(Fs at);
  std::size_t next_first_flit() const;
  bool allocate(std::uint32_t queue, Fs at);
  bool request_switch(Fs at);
  void request(std::uint32_t queue, Fs at);
  void grant_all(Fs at);
  void grant(std::uint32_t queue, Fs at);
  void starve(Queue& queue, Fs at);
  void end_starvation(Queue& queue, Fs at);

  Fs edge_from(Fs instant) const { return (instant + period_ - 1) / period_ * period_; }
  Fs pipeline_of(const Arrival& flit) const { return flit.is_first() ? pipeline_ : period_; }
  // Edge of the grant at zero load.
  Fs earliest_grant(const Arrival& flit) const { return edge_from(flit.time) + pipeline_of(flit); }
  std::uint32_t input_of(std::uint32_t queue) const { return queue / buffer_.virtual_channels; }
  std::uint64_t bit_of(std::uint32_t queue) const {
    return std::uint64_t{1} << queue % buffer_.virtual_channels;
  }
  Fs stalled(Fs now) const;

  InputBuffer buffer_;
  Fs period_;
  Fs pipeline_;       // first flit: head of its queue to grant
  Fs to_allocation_;  // first flit: head of its queue to the allocation of a virtual channel
  std::unique_ptr<SwitchAllocator> allocator_;
  bool oldest_first_;

  std::vector<VcOutput*> outputs_;
  std::vector<Input> inputs_;
  std::uint64_t allocating_ = 0, switching_ = 0;   // inputs with queues in to_allocate, to_switch
  std::vector<Queue> queues_;                      // by input and virtual channel
  std::vector<std::vector<std::uint32_t>> turns_;  // queue with priority, by output and group
  std::vector<std::uint32_t> first_flits_;         // queues, of one cycle
  SwitchRequests requests_;
  SwitchMatches matches_;
  std::vector<Granted> granted_;  // flits in the switch, handed over at the next edge
  Fs granted_at_ = 0;
  std::size_t inside_ = 0;       // flits in queues and in the switch
  Fs due_ = never_fs;            // next edge with work, without arrivals that are not in a queue
  std::uint64_t requested_ = 0;  // flits, in one cycle

  std::uint64_t transactions_ = 0, flits_ = 0, control_messages_ = 0, conflicts_ = 0;
  std::uint64_t busy_fs_ = 0, waiting_fs_ = 0, stalled_fs_ = 0, longest_wait_fs_ = 0;
};

// A virtual-channel router with the policy `Allocator` (switch_allocator.h).
template <class Allocator>
class VcRouterNode final : public VcRouter {
 public:
  static constexpr const char* description = Allocator::description;
  using Parameters = typename Allocator::Parameters;
  explicit VcRouterNode(const ComponentInit& init)
      : VcRouter(init, init.attributes.as<Parameters>(),
                 std::make_unique<Allocator>(init.attributes.as<Parameters>())) {}
};

}  // namespace kernbench
