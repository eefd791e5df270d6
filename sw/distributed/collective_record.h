// Record of a collective and its time on all ranks; its handle on one rank; and the table of all
// collectives of a run (spec 7).
//
// Bandwidths follow nccl-tests (doc/PERFORMANCE.md there): the algorithm bandwidth is size / time;
// the bus bandwidth is the algorithm bandwidth times bus_factor(). The factor is the smallest share
// of the bytes that the links of a rank carry, so that the bus bandwidth is comparable with the
// link bandwidth for any number of ranks and never exceeds the sum over the links.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "sw/collectives/collective_call.h"
#include "sw/runtime/result_table.h"
#include "sw/runtime/worker.h"

namespace kernbench {

struct MessageSide;  // message_board.h

// Bus bandwidth / algorithm bandwidth for n ranks: all_reduce 2 (n - 1) / n; all_gather,
// reduce_scatter, all_to_all, gather, scatter (n - 1) / n; other operations 1. One rank: 0, because
// no link carries data.
Rational bus_factor(CollectiveOp op, int ranks);

// GB/s = bytes/ns; 0 if `time` is 0.
double algorithm_bandwidth_gbs(std::uint64_t nbytes, Fs time);
double bus_bandwidth_gbs(CollectiveOp op, int ranks, std::uint64_t nbytes, Fs time);

struct CollectiveRecord {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::string algorithm;
  std::string reduction;  // "sum", ...; "" without a reduction
  DType dtype = DType::f16;
  int ranks = 1;
  std::vector<int> group;    // group of new_group, as ranks of the world; empty: all ranks
  std::uint64_t nbytes = 0;  // data size of a rank, as in nccl-tests: of the logical tensor,
                             // and of all parts if there is one per rank
  std::vector<LaunchHandle> launches;  // launches that have begun

  // Largest pe_exec of all PEs; none until every launch has been waited for.
  std::optional<Fs> time() const;
};

// Error of a wait or monitored_barrier that exceeds its timeout.
class TimeoutError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "timeout"; }
};

// Handle of a collective on the calling rank. torch.wait_all, to_host and similar calls wait for
// it, too.
class Work {
 public:
  Work() = default;
  bool is_completed() const { return launch().done(); }
  void wait();  // LaunchError
  // Waits for at most `timeout` of simulated time, then throws TimeoutError; the collective
  // continues and can be waited for again.
  void wait(const sc_core::sc_time& timeout);
  const LaunchHandle& launch() const;

  // Largest pe_exec of this rank's PEs; valid after wait().
  Fs time() const { return launch().metrics().merged.pe_exec; }
  std::uint64_t nbytes() const { return record().nbytes; }
  double algorithm_bandwidth_gbs() const {
    return kernbench::algorithm_bandwidth_gbs(nbytes(), time());
  }
  double bus_bandwidth_gbs() const {
    return kernbench::bus_bandwidth_gbs(record().op, record().ranks, nbytes(), time());
  }
  const CollectiveRecord& record() const;
  // Rank that has sent the received message. UsageError before a message has been matched.
  int source_rank() const;

 private:
  friend class ProcessGroup;
  std::shared_ptr<Worker> worker_;
  LaunchHandle launch_;
  std::shared_ptr<const CollectiveRecord> record_;
  std::shared_ptr<const MessageSide> message_;  // null: a collective
};

// One row for each collective that has ended on all ranks: op, ranks, algorithm, reduction, dtype,
// bytes, time_ns, algorithm_gbs, bus_gbs.
ResultTable collective_table(const std::vector<std::shared_ptr<const CollectiveRecord>>& records);

}  // namespace kernbench
