// OpOrigins: node and name of each executed data op, for messages about values. An origin is kept
// as long as the op itself: released ops take no memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "models/base/analysis_port.h"
#include "models/base/executed_op.h"

namespace kernbench {

class OpOrigins final : public tlm::tlm_analysis_if<ExecutedOp> {
 public:
  void write(const ExecutedOp& op) override;

  // "gemm_f16 on sip0.cube0.pe0.pe_gemm at 812.5 ns"; empty for an op that no command executed.
  std::string text(std::uint64_t data_op) const;
  std::size_t size() const { return by_op_.size(); }  // includes ops released recently

 private:
  struct Origin {
    std::weak_ptr<const DataOp> op;
    const sc_core::sc_object* node = nullptr;
    const char* name = "";
    Fs start = 0;
  };
  void forget_gone();

  std::unordered_map<std::uint64_t, Origin> by_op_;  // for look-up only
  static constexpr std::size_t least = 1024;
  std::size_t limit_ = least;  // size that triggers the removal of released ops
};

}  // namespace kernbench
