// PE_FETCH_STORE: the only gateway between TCM and register file, and the account of the register
// file (spec 5).
//
// Timing: FETCH waits until the register file has room for what the tile brings (its operands, and
// with the first k tile its accumulator), then pays overhead_ns and the read of PE_TCM. STORE pays
// overhead_ns and the write of PE_TCM, then gives the accumulator back. FETCH and STORE are served
// side by side. Not modelled: which register holds what.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/base/errors.h"
#include "models/pe/pe_components.h"
#include "models/pe/stage_engine.h"

namespace kernbench {
namespace {

class PeFetchStore final : public StageEngine<Component>,
                           private ServiceProvider<RegisterRequest>,
                           private ServiceListener<TcmRequest> {
 public:
  static constexpr const char* description = "load/store unit between TCM and register file";
  static constexpr std::array roles{Role::pe_fetch_store};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};
    Param<std::uint64_t> register_file_bytes{
        *this,
        Parameter::integer("register_file_bytes", "capacity of the register file", "B", "spec 1.2")
            .default_val(65536)
            .range("1", "1073741824")};
  };
  explicit PeFetchStore(const ComponentInit& init);

 private:
  tlm::tlm_sync_enum nb_transport_fw(RegisterRequest& request, tlm::tlm_phase&) override {
    release_registers(request.bytes);
    return tlm::TLM_COMPLETED;
  }
  void transport_dbg(RegisterRequest& request) override { request.capacity = capacity_; }
  void release_registers(std::uint64_t bytes);
  void start(Lane& lane) override;
  void release(Lane& lane) override;
  void stepped() override;
  void expired(Lane& lane) override;
  void nb_transport_bw(TcmRequest& request, const tlm::tlm_phase& phase) override {
    if (phase == tlm::END_REQ) return begin(lane(request.tag));
    finish(lane(request.tag));
  }
  void access(Lane& lane);

  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  std::uint64_t used_high_water_ = 0, stalls_ = 0;
  bool fetch_stalled_ = false;
  TraceSignal& used_signal_;
  std::array<TcmRequest, 2> requests_;  // by lane
  ServiceTarget<RegisterRequest> registers_{*this, *this};
  ServiceInitiator<TcmRequest> to_tcm_{this};
};

PeFetchStore::PeFetchStore(const ComponentInit& init)
    : StageEngine(init, PeEngine::pe_fetch_store, init.attributes.as<Parameters>().stage),
      capacity_(*init.attributes.as<Parameters>().register_file_bytes),
      used_signal_(add_signal("register_bytes", "register file in use", SignalFormat::bytes())) {
  add_statistic("register_bytes_high_water", "most of the register file in use", Quantity::bytes,
                used_high_water_, Merge::maximum);
  add_statistic("register_stalls", "fetches that waited for room in the register file",
                Quantity::count, stalls_);
}

void PeFetchStore::start(Lane& lane) {
  if (lane.stage().type == StageType::store) return access(lane);
  const std::uint64_t bytes = lane.stage().register_bytes;
  if (used_ + bytes > capacity_) {
    if (!fetch_stalled_) ++stalls_;
    fetch_stalled_ = true;
    return;
  }
  fetch_stalled_ = false;
  used_ += bytes;
  used_high_water_ = std::max(used_high_water_, used_);
  used_signal_.set(used_);
  access(lane);
}

void PeFetchStore::access(Lane& lane) {
  if (overhead() > 0) return expire_at(lane, now() + overhead());
  expired(lane);
}

void PeFetchStore::expired(Lane& lane) {  // the overhead has been paid
  TcmRequest& request = requests_[lane.index];
  request.write = lane.stage().type == StageType::store;
  request.bytes = lane.stage().bytes;
  request.order = lane.task->order();
  request.tag = lane.index;
  to_tcm_.nb_transport_fw(request);
}

void PeFetchStore::release(Lane& lane) {
  if (lane.stage().type == StageType::store) release_registers(lane.stage().register_bytes);
}

void PeFetchStore::release_registers(std::uint64_t bytes) {
  if (bytes > used_)
    throw ModelError(
        fmt::format("{}: {} register bytes given back, {} in use", name(), bytes, used_));
  used_ -= bytes;
  used_signal_.set(used_);
  wake_engine();
}

void PeFetchStore::stepped() {
  if (fetch_stalled_) start(lane_of(StageType::fetch));
}

}  // namespace

Implementation pe_fetch_store_implementation() {
  return implementation_of<PeFetchStore>("builtin.pe_fetch_store");
}

}  // namespace kernbench
