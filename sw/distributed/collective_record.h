// What a collective was and how long it took, on all ranks; and on one rank the handle of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/collective_call.h"
#include "sw/distributed/bandwidth.h"
#include "sw/runtime/worker.h"

namespace kernbench {

struct CollectiveRecord {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::string algorithm;
  std::string reduction;  // "sum", ...; "" where nothing is reduced
  DType dtype = DType::f16;
  int ranks = 1;
  std::uint64_t nbytes = 0;  // of a rank's data, as nccl-tests count them: of all parts where there
                             // is one for each rank
  std::vector<LaunchHandle> launches;  // those that have begun

  // The largest pe_exec of all PEs; none before every launch has been waited for.
  std::optional<Fs> time() const;
};

// A collective on the calling rank. torch.wait_all, to_host and the like wait for it too.
class Work {
 public:
  Work() = default;
  bool is_completed() const { return launch().done(); }
  void wait();  // LaunchError
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

 private:
  friend class ProcessGroup;
  std::shared_ptr<Worker> worker_;
  LaunchHandle launch_;
  std::shared_ptr<const CollectiveRecord> record_;
};

}  // namespace kernbench
