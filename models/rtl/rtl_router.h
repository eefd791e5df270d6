// Router in RTL (sv/kernbench_router.sv): wormhole, virtual channels, credits on both sides,
// round-robin arbitration of the outputs.
//
// Timing: a flit is at the pins of its input from the first rising edge at or after its arrival on,
// one flit per port and edge, control messages first. It is forwarded at the edge at which it is at
// the output pins, at zero load the third edge after. A neighbour gets its credit back at the edge
// at which the credit is at the pins (spec 2.10). A flit that has left the block occupies a place
// of its output until its last byte has left for the link, which may wait for credits of the next
// node; the block has as many credits as there are such places. Control messages have a virtual
// channel of their own in the block: they wait for each other and for the clock, not for flits;
// outside they need no credit.
//
// The clock stops when the block is empty, and when all flits in it wait for credits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/base/component_registry.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/ring_buffer.h"
#include "models/rtl/router_model.h"

namespace kernbench {

class RtlRouter : public FabricNode, private BlockUser {
 public:
  static constexpr const char* description =
      "router in RTL: wormhole, virtual channels, credits, round-robin outputs";
  static constexpr std::array roles{Role::router};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{*this,
                       Parameter::duration_ns("overhead_ns",
                                              "latency used by launches and probe; at most the "
                                              "zero-load latency of the block, 3 clock periods",
                                              "spec 2.4")
                           .default_val(0)};
    BlockParameters block{*this};
  };
  static std::optional<ParameterFault> check(const Parameters& parameters);

  explicit RtlRouter(const ComponentInit& init);
  InputBuffer input_buffer() const override;
  void left(BufferPlace place, Fs at) override;

 protected:
  // Uses an external router behind the pins.
  RtlRouter(const ComponentInit& init, MakeRouterModel make);

 private:
  struct Inside {
    Arrival arrival;
    Fs taken = 0;  // edge after which it has been at the pins
    unsigned out = 0;
    bool live = false;
  };
  struct Input {
    RingBuffer<std::uint32_t> data, control;  // tags that wait for the pins
    std::uint32_t control_credits = 0;
    RingBuffer<std::uint32_t>* driven = nullptr;  // queue with the first entry at the pins
  };
  struct Place {
    Fs at = 0;  // free from then on
    std::uint16_t channel = 0;
  };
  struct Output {
    RingBuffer<Place> freed;   // places whose credits have not been at the pins, in order
    std::uint64_t driven = 0;  // channels whose credits are at the pins
  };

  // Fabric node.
  Fs next_due() const override;
  void serve() override;
  std::size_t depth(Fs now) const override { return arrivals_.present(now) + inside_; }
  void declare_signals() override;
  void end_of_simulation() override { model_->block().close(); }
  void take(const Arrival& arrival);

  // Block.
  bool sample() override;
  void drive() override;
  const char* awaited() const override;
  bool sample_input(unsigned port);
  bool sample_output(unsigned port);
  void sample_credits(Output& output);
  void drive_input(unsigned port);
  void drive_credits(unsigned port);
  void go_on(unsigned port, const PinFlit& flit);
  void check(unsigned port, const PinFlit& flit) const;
  PinFlit at_pins(std::uint32_t tag) const;

  std::unique_ptr<RouterModel> model_;
  RouterInterface pins_;
  std::vector<Inside> flits_;          // by tag
  std::vector<std::uint32_t> unused_;  // tags
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::size_t inside_ = 0;          // flits and messages
  std::uint32_t places_taken_ = 0;  // over all outputs, including `freed`
  unsigned quiet_cycles_ = 0;
  bool at_edge_ = false;

  std::uint64_t transactions_ = 0, data_flits_ = 0, control_messages_ = 0;
  std::uint64_t time_inside_ = 0, longest_inside_ = 0;
};

// The Verilated model that was built with kernbench, in a source of its own.
MakeRouterModel built_router();

// "rtl.router".
Implementation rtl_router();

}  // namespace kernbench
