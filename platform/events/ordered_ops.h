// OrderedOps: executed operations of a run in the order and with the numbers of the operation log
// (spec 11.7), for reports that name single operations or depend on their order.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "models/base/instant_order.h"
#include "models/data/op_log.h"
#include "models/protocol/observation.h"

namespace kernbench {

class OrderedOps final : private tlm::tlm_analysis_if<ExecutedOp> {
 public:
  // Without data op and task, which are valid at the event alone.
  using Take = std::function<void(std::uint64_t id, const ExecutedOp& op)>;

  OrderedOps(Observation& observation, Take take)
      : take_(std::move(take)), binding_(observation.executed_ops, *this) {}

  // Passes on the remaining operations, after the last event.
  void close() {
    instant_.end([this](const ExecutedOp& op) { take_(++ops_, op); });
  }

 private:
  void write(const ExecutedOp& op) override {
    ExecutedOp ended = op;
    ended.data.reset();
    ended.task = nullptr;
    instant_.add(op.t_end, std::move(ended),
                 [this](const ExecutedOp& each) { take_(++ops_, each); });
  }

  Take take_;
  InstantOrder<ExecutedOp, OpOrder> instant_;
  std::uint64_t ops_ = 0;
  AnalysisBinding<ExecutedOp> binding_;
};

}  // namespace kernbench
