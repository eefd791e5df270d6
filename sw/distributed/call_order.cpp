#include "sw/distributed/call_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "sw/runtime/worker.h"

namespace kernbench {

CallOrder::CallOrder(const std::vector<int>& ranks, std::string counted, const std::string& of)
    : counted_(std::move(counted)), of_(of.empty() ? "" : " of " + of) {
  for (const int rank : ranks) ranks_[rank];
}

bool CollectiveStep::moves_nothing() const {
  const auto is_zero = [](std::int64_t rows) { return rows == 0; };
  return algorithm == nullptr ||
         (!input_splits.empty() && std::all_of(call.rows.begin(), call.rows.end(), is_zero));
}

void OrderedCall::refuse(const std::exception_ptr& error) {
  refused = error;
  opened.notify(sc_core::SC_ZERO_TIME);
  for (const Part& part : std::exchange(parts, {})) Worker::refuse(part.launch, error);
}

OrderedCall& CallOrder::join(int rank, const std::string& what) {
  const std::string who = fmt::format("rank {}", rank);
  const std::size_t index = ranks_.at(rank).reached;
  if (index == calls_.size()) {
    for (const auto& [other, state] : ranks_) {
      if (!state.has.empty())
        throw UsageError(fmt::format("{} calls {}, its {}, but rank {} {} after {}", who, what,
                                     nth(index), other, state.has, state.reached));
    }
    calls_.push_back(std::make_unique<OrderedCall>());
    calls_.back()->what = what;
    calls_.back()->first = rank;
  }
  OrderedCall& call = *calls_[index];
  ++ranks_.at(rank).reached;
  call.reached.push_back(rank);
  if (!call.refused && call.what != what)
    call.refuse(std::make_exception_ptr(
        UsageError(fmt::format("ranks call different things: {} of rank {} is {}; of {} it is {}",
                               nth(index), call.first, call.what, who, what))));
  if (call.refused) std::rethrow_exception(call.refused);
  return call;
}

void CallOrder::end(int rank, const std::string& has) {
  ranks_.at(rank).has = has;
  const std::string waiting = ahead_of(rank);
  if (!waiting.empty())
    throw UsageError(fmt::format("rank {} {}, but others wait for it in {}", rank, has, waiting));
}

std::string CallOrder::ahead_of(int rank) const {
  const std::size_t index = ranks_.at(rank).reached;
  if (index == calls_.size()) return "";
  return fmt::format("{}, {} (rank {})", nth(index), calls_[index]->what, calls_[index]->first);
}

}  // namespace kernbench
