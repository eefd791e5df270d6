#include "sw/distributed/collective_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/distributed/message_board.h"
#include "sw/runtime/call_listener.h"

namespace kernbench {

Rational bus_factor(CollectiveOp op, int ranks) {
  if (ranks == 1) return 0;
  switch (op) {
    case CollectiveOp::all_reduce:
      return Rational::fraction(2 * (ranks - 1), ranks);
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return Rational::fraction(ranks - 1, ranks);
    case CollectiveOp::broadcast:
    case CollectiveOp::reduce:
    case CollectiveOp::send_recv:
      break;
  }
  return 1;
}

double algorithm_bandwidth_gbs(std::uint64_t nbytes, Fs time) {
  return time == 0 ? 0 : static_cast<double>(nbytes) / to_ns(time);
}

double bus_bandwidth_gbs(CollectiveOp op, int ranks, std::uint64_t nbytes, Fs time) {
  return algorithm_bandwidth_gbs(nbytes, time) * bus_factor(op, ranks).to_double();
}

std::optional<Fs> CollectiveRecord::time() const {
  Fs time = 0;
  for (const LaunchHandle& launch : launches) {
    if (!launch.waited_for()) return std::nullopt;
    time = std::max(time, launch.metrics().merged.pe_exec);
  }
  return time;
}

void Work::wait() {
  const LaunchHandle& awaited = launch();
  const ObservedCall observed(worker_->runtime().calls,
                              {worker_->rank().value_or(0), "Work.wait", name_of(record_->op)});
  worker_->wait(awaited);
}

void Work::wait(const sc_core::sc_time& timeout) {
  const LaunchHandle& awaited = launch();
  const Fs now = worker_->runtime().link.port().now();
  if (timeout.value() < never_fs - now && !worker_->ends_until(awaited, now + timeout.value()))
    throw TimeoutError(fmt::format("Work.wait: {} has not ended after {}", name_of(record_->op),
                                   format_ns(timeout.value())));
  wait();
}

const LaunchHandle& Work::launch() const {
  if (record_ == nullptr)
    throw UsageError(
        "a Work that is no collective's: of no call, or of a rank that is not in its group");
  return launch_;
}

const CollectiveRecord& Work::record() const {
  launch();
  return *record_;
}

int Work::source_rank() const {
  launch();
  if (message_ == nullptr || message_->is_send)
    throw UsageError("source_rank of a Work that is no receive's");
  if (!message_->peer)
    throw UsageError("source_rank of a receive from any source, which no rank has sent to yet");
  return *message_->peer;
}

ResultTable collective_table(const std::vector<std::shared_ptr<const CollectiveRecord>>& records) {
  using Cell = ResultTable::Cell;
  ResultTable table("collectives", {"op", "ranks", "algorithm", "reduction", "dtype", "bytes",
                                    "time_ns", "algorithm_gbs", "bus_gbs"});
  for (const auto& record : records) {
    const std::optional<Fs> time = record->time();
    if (!time) continue;
    table.add({std::string(name_of(record->op)), std::int64_t{record->ranks}, record->algorithm,
               record->reduction.empty() ? Cell() : Cell(record->reduction),
               std::string(name_of(record->dtype)), static_cast<std::int64_t>(record->nbytes),
               to_ns(*time), algorithm_bandwidth_gbs(record->nbytes, *time),
               bus_bandwidth_gbs(record->op, record->ranks, record->nbytes, *time)});
  }
  return table;
}

}  // namespace kernbench
