// PE_FETCH_STORE: the only gateway between TCM and register file, and the account of the register
// file (spec 5).
//
// Timing: FETCH waits until the register file has room for what the tile brings (its operands, and
// with the first k tile its accumulator), then pays overhead_ns and the read of PE_TCM. STORE pays
// overhead_ns and the write of PE_TCM, then gives the accumulator back. FETCH and STORE are served
// side by side. Not modelled: which register holds what.
#pragma once

#include "models/pe/stage_engine.h"

namespace kernbench {

class PeFetchStore final : public StageEngine<Component>,
                           public RegisterFile,
                           public Uses<TcmAccess>,
                           private TcmListener {
 public:
  static constexpr const char* description = "load/store unit between TCM and register file";
  static constexpr std::array roles{Role::pe_fetch_store};
  static ParameterSchema schema();
  explicit PeFetchStore(const ComponentInit& init);

  std::uint64_t register_file_bytes() const override { return capacity_; }
  void release_registers(std::uint64_t bytes) override;

 private:
  void start(Lane& lane) override;
  void release(Lane& lane) override;
  void stepped() override;
  void expired(Lane& lane) override;
  void tcm_access_began(std::uint32_t tag) override { begin(lane(tag)); }
  void tcm_access_ended(std::uint32_t tag) override { finish(lane(tag)); }
  void access(Lane& lane);

  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  std::uint64_t used_high_water_ = 0, stalls_ = 0;
  bool fetch_stalled_ = false;
  TraceSignal& used_signal_;
};

}  // namespace kernbench
