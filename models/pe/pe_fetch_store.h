// PE_FETCH_STORE: the only gateway between TCM and register file, and the account of the register
// file (spec 5).
//
// Timing: FETCH waits until the register file has room for the operands of the tile (and with the
// first k tile for its accumulator), then pays overhead_ns and the read of PE_TCM. STORE pays
// overhead_ns and the write of PE_TCM, then releases the accumulator. FETCH and STORE are served
// concurrently. Not modelled: allocation of single registers.
//
// Base class: a load/store unit with other times derives from it, its Parameters from these, and
// overrides setup_time().
#pragma once

#include <array>

#include "models/pe/stage_engine.h"

namespace kernbench {

class PeFetchStore : public StageEngine<Component>,
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

 protected:
  // Override point: time from the instant at which a FETCH or STORE may begin to its access of
  // PE_TCM; called once per stage.
  virtual Fs setup_time(const Stage& /*stage*/) { return overhead(); }

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

}  // namespace kernbench
