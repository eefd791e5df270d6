// The load/store unit of a PE: an address generator between TCM and register file, and the account
// of the register file.
//
// Timing: a FETCH waits until the register file has room for what its tile brings, then takes
// fetch_setup_ns and the read of the TCM. A STORE takes store_setup_ns and the write of the TCM,
// then gives the accumulator back. Both are served concurrently. overhead_ns comes on top of each.
// Not modelled: which register holds what.
#include <algorithm>
#include <array>

#include "models/base/component_registry.h"
#include "models/base/errors.h"
#include "models/base/plugin.h"
#include "models/pe/stage_engine.h"

namespace {

using namespace kernbench;

class AddressSetupFetchStore final : public StageEngine<Component>,
                                     private ServiceProvider<RegisterRequest>,
                                     private ServiceListener<TcmRequest> {
 public:
  static constexpr const char* description = "load/store unit with a time for the addresses";
  static constexpr std::array roles{Role::pe_fetch_store};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};  // overhead_ns, queue_depth
    Param<std::uint64_t> register_file_bytes{
        *this, Parameter::integer("register_file_bytes", "capacity of the register file", "B",
                                  "assumption")
                   .default_val(65536)
                   .range(1, 1073741824)};
    Param<Fs> fetch_setup{
        *this,
        Parameter::duration_ns("fetch_setup_ns", "address set-up time of a fetch", "assumption")
            .default_val(0)};
    Param<Fs> store_setup{
        *this,
        Parameter::duration_ns("store_setup_ns", "address set-up time of a store", "assumption")
            .default_val(0)};
  };
  explicit AddressSetupFetchStore(const ComponentInit& init)
      : StageEngine(init, PeEngine::pe_fetch_store, init.attributes.as<Parameters>().stage),
        parameters_(init.attributes) {
    add_statistic("register_stalls", "fetches stalled for space in the register file",
                  Quantity::count, stalls_);
  }

 private:
  // --- stages: of a lane each, FETCH and STORE

  void start(Lane& lane) override {
    if (lane.stage().type == StageType::store)
      return expire_at(lane, now() + overhead() + *parameters_.store_setup);
    const bool room = used_ + lane.stage().register_bytes <= *parameters_.register_file_bytes;
    if (!room && !stalled_) ++stalls_;
    stalled_ = !room;
    if (stalled_) return;  // until stepped() finds room
    used_ += lane.stage().register_bytes;
    expire_at(lane, now() + overhead() + *parameters_.fetch_setup);
  }
  void expired(Lane& lane) override {  // the addresses are there
    TcmRequest& request = requests_[lane.index];
    request.write = lane.stage().type == StageType::store;
    request.bytes = lane.stage().bytes;
    request.order = lane.task->order();
    request.tag = lane.index;
    to_tcm_.nb_transport_fw(request);
  }
  void nb_transport_bw(TcmRequest& request, const tlm::tlm_phase& phase) override {
    if (phase == tlm::END_REQ) return begin(lane(request.tag));
    finish(lane(request.tag));
  }
  void release(Lane& lane) override {
    if (lane.stage().type == StageType::store) release_registers(lane.stage().register_bytes);
  }
  void stepped() override {
    if (stalled_) start(lane_of(StageType::fetch));
  }

  // --- registers that the compute engines give back

  tlm::tlm_sync_enum nb_transport_fw(RegisterRequest& request, tlm::tlm_phase&) override {
    release_registers(request.bytes);
    return tlm::TLM_COMPLETED;
  }
  void transport_dbg(RegisterRequest& request) override {
    request.capacity = *parameters_.register_file_bytes;
  }
  void release_registers(std::uint64_t bytes) {
    if (bytes > used_) throw ModelError("more register bytes are given back than are in use");
    used_ -= bytes;
    wake_engine();
  }

  const Parameters parameters_;
  std::uint64_t used_ = 0, stalls_ = 0;
  bool stalled_ = false;
  std::array<TcmRequest, 2> requests_;  // by lane
  ServiceTarget<RegisterRequest> registers_{*this, *this};
  ServiceInitiator<TcmRequest> to_tcm_{this};
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<AddressSetupFetchStore>("custom.address_setup_fetch_store"));
}

}  // namespace

KERNBENCH_PLUGIN("address_setup_fetch_store", add_all);
