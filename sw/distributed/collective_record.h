// Record of a collective and its time on all ranks; its handle on one rank; and the table of all
// collectives of a run (spec 7).
//
// Bandwidths as nccl-tests define them (doc/PERFORMANCE.md there): the algorithm bandwidth is
// size / time; the bus bandwidth is that times a factor by which it can be compared with the
// bandwidth of a rank's links, whatever the number of ranks: these carry so many of the bytes at
// least, so that it never exceeds the sum of them.
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

// Of n ranks: all_reduce 2 (n - 1) / n; all_gather, reduce_scatter, all_to_all, gather, scatter (n
// - 1) / n; the others 1. Of one rank 0: nothing goes over a link.
Rational bus_factor(CollectiveOp op, int ranks);

// GB/s = bytes/ns; 0 for no time.
double algorithm_bandwidth_gbs(std::uint64_t nbytes, Fs time);
double bus_bandwidth_gbs(CollectiveOp op, int ranks, std::uint64_t nbytes, Fs time);

struct CollectiveRecord {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::string algorithm;
  std::string reduction;  // "sum", ...; "" where nothing is reduced
  DType dtype = DType::f16;
  int ranks = 1;
  std::vector<int> group;    // those of new_group, as ranks of the world; empty: all ranks
  std::uint64_t nbytes = 0;  // of a rank's data, as nccl-tests count them: of the logical tensor,
                             // and of all parts where there is one for each rank
  std::vector<LaunchHandle> launches;  // those that have begun

  // The largest pe_exec of all PEs; none before every launch has been waited for.
  std::optional<Fs> time() const;
};

// A wait or monitored_barrier that exceeded its timeout.
class TimeoutError : public Error {
 public:
  using Error::Error;
  std::string code() const override { return "timeout"; }
};

// A collective on the calling rank. torch.wait_all, to_host and the like wait for it too.
class Work {
 public:
  Work() = default;
  bool is_completed() const { return launch().done(); }
  void wait();  // LaunchError
  // TimeoutError if that takes more simulated time than `timeout`; it goes on, and may be waited
  // for again.
  void wait(const sc_core::sc_time& timeout);
  const LaunchHandle& launch() const;

  // Of this rank, once waited for: the largest pe_exec of its PEs.
  Fs time() const { return launch().metrics().merged.pe_exec; }
  std::uint64_t nbytes() const { return record().nbytes; }
  double algorithm_bandwidth_gbs() const {
    return kernbench::algorithm_bandwidth_gbs(nbytes(), time());
  }
  double bus_bandwidth_gbs() const {
    return kernbench::bus_bandwidth_gbs(record().op, record().ranks, nbytes(), time());
  }
  const CollectiveRecord& record() const;
  // Of a receive: the rank that has sent the message. UsageError before one has been posted for it.
  int source_rank() const;

 private:
  friend class ProcessGroup;
  std::shared_ptr<Worker> worker_;
  LaunchHandle launch_;
  std::shared_ptr<const CollectiveRecord> record_;
  std::shared_ptr<const MessageSide> message_;  // null: a collective
};

// One row for each that has ended on all ranks: op, algorithm, reduction, dtype, ranks, bytes,
// time_ns, algorithm_gbs, bus_gbs.
ResultTable collective_table(const std::vector<std::shared_ptr<const CollectiveRecord>>& records);

}  // namespace kernbench
