// Job: evaluation of one DataOp, cut into blocks that may run in any order and on any thread. The
// cut depends on the op alone, so results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <memory>

#include "models/data/data_op.h"
#include "models/data/gemm_products.h"
#include "platform/phase2/stop.h"

namespace kernbench {

class Job {
 public:
  virtual ~Job() = default;
  virtual std::size_t blocks() const = 0;
  virtual void run_block(
      std::size_t index) = 0;  // called once per index; throws StoppedError on a stop request
  const SharedBytes& output() const { return output_; }  // complete when all blocks have run

 protected:
  explicit Job(const DataOp& op) : output_(make_shared_bytes(op.outputs.at(0).nbytes(), false)) {}
  SharedBytes output_;
};

// Reads the inputs now; the op must outlive the job. Blocks of a gemm may be long, so they poll
// `stop`. With `products`, from an engine, no multiplication is done.
std::unique_ptr<Job> make_gemm_job(const DataOp& op, const ValueLookup& lookup,
                                   const StopQuestion& stop,
                                   std::shared_ptr<const GemmProducts> products = nullptr);
std::unique_ptr<Job> make_elementwise_job(const DataOp& op, const ValueLookup& lookup);
std::unique_ptr<Job> make_reduction_job(const DataOp& op, const ValueLookup& lookup);
std::unique_ptr<Job> make_scan_job(const DataOp& op, const ValueLookup& lookup);
std::unique_ptr<Job> make_sort_job(const DataOp& op, const ValueLookup& lookup);
std::unique_ptr<Job> make_move_job(const DataOp& op, const ValueLookup& lookup);
std::unique_ptr<Job> make_random_job(const DataOp& op, const ValueLookup& lookup);
std::unique_ptr<Job> make_convert_job(const DataOp& op, const ValueLookup& lookup);
std::unique_ptr<Job> make_job(const DataOp& op, const ValueLookup& lookup,
                              const StopQuestion& stop = {});  // selects one of the above

}  // namespace kernbench
