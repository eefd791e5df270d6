#include "models/protocol/fabric_node.h"

#include <string>

#include "models/base/errors.h"

namespace kernbench {
namespace {

[[noreturn]] void not_inside_the_fabric(const char* call) {
  throw ModelError(std::string(call) + " does not run inside the fabric; it belongs to the rim (spec 2.1)");
}

}  // namespace

class FabricNode::Input final : public FabricForward {
 public:
  Input(FabricNode& node, std::uint32_t port, NodeId upstream)
      : socket(("in" + std::to_string(port)).c_str()), node_(node), port_(port) {
    socket.bind(*this);
    node.arrivals_.add_port(upstream);
  }

  void accept(Transaction& transaction, FlitRun run, Fs arrival) override {
    if (node_.arrivals_.push(port_, transaction, run, arrival)) node_.rearm();
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    not_inside_the_fabric("nb_transport_fw");
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override { not_inside_the_fabric("b_transport"); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  FabricTargetSocket socket;

 private:
  FabricNode& node_;
  std::uint32_t port_;
};

class FabricNode::Output final : public FabricBackward {
 public:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    not_inside_the_fabric("nb_transport_bw");
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void credit(unsigned) override {}
};

FabricNode::FabricNode(const ComponentInit& init, ArrivalQueue::Keep keep) : Component(init), arrivals_(keep), wake_("wake_event") {
  SC_HAS_PROCESS(FabricNode);
  SC_METHOD(wake);
  sensitive << wake_;
  dont_initialize();
}

FabricTargetSocket& FabricNode::add_input(NodeId upstream) {
  const Scope scope(*this);
  inputs_.push_back(std::make_unique<Input>(*this, static_cast<std::uint32_t>(inputs_.size()), upstream));
  return inputs_.back()->socket;
}

FabricInitiatorSocket& FabricNode::add_output(NodeId /*downstream*/) {
  const Scope scope(*this);
  outputs_.push_back(std::make_unique<FabricInitiatorSocket>(("out" + std::to_string(outputs_.size())).c_str()));
  outputs_sinks_.push_back(std::make_unique<Output>());
  outputs_.back()->bind(*outputs_sinks_.back());
  return *outputs_.back();
}

void FabricNode::rearm() {
  const Fs due = next_due();
  if (due >= armed_) return;
  armed_ = due;
  wake_.notify(fs(due - now()));
}

void FabricNode::wake() {
  armed_ = never_fs;
  serve();
  rearm();
}

}  // namespace kernbench
