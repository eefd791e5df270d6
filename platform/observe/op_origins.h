// OpOrigins: which node executed a data op, under which name: for messages about values.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "models/base/op_sink.h"

namespace kernbench {

class OpOrigins final : public OpSink {
 public:
  // What is reported here goes on to `next`, if there is one.
  explicit OpOrigins(OpSink* next = nullptr) : next_(next) {}

  void executed(const ExecutedOp& op) override;
  bool wants_trace() const override { return next_ != nullptr && next_->wants_trace(); }
  void traced(const TraceEvent& event) override {
    if (next_ != nullptr) next_->traced(event);
  }

  // "gemm_f16 on sip0.cube0.pe0.pe_gemm at 812.5 ns"; empty for an op that no command executed.
  std::string text(std::uint64_t data_op) const;

 private:
  struct Origin {
    const sc_core::sc_object* node = nullptr;
    const char* name = "";
    Fs start = 0;
  };
  OpSink* next_;
  std::unordered_map<std::uint64_t, Origin> by_op_;  // for look-up only
};

}  // namespace kernbench
