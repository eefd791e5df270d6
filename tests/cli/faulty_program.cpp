// What makes `kernbench_faulty` of the program's own objects: the first element that the op of id
// KERNBENCH_FAULTY_OP computes is wrong, so that verification has something to find. The linker
// sends calls of make_job() here (--wrap).
#include <cstdlib>

#include "platform/phase2/job.h"

#define WRAPPED(prefix) \
  prefix##_ZN9kernbench8make_jobERKNS_6DataOpERKSt8functionIFSt10shared_ptrISt4byteEmEERKS3_IFbvEE

namespace kernbench {
namespace {

class FaultyJob : public Job {
 public:
  FaultyJob(const DataOp& op, std::unique_ptr<Job> job)
      : Job(op), job_(std::move(job)), last_byte_(size_of(op.outputs[0].dtype) - 1) {
    output_ = job_->output();
  }
  std::size_t blocks() const override { return job_->blocks(); }
  void run_block(std::size_t index) override {
    job_->run_block(index);
    if (index == 0)
      output_.get()[last_byte_] ^= std::byte{0x40};  // of a float the highest digit of the exponent
  }

 private:
  std::unique_ptr<Job> job_;
  std::uint64_t last_byte_;
};

}  // namespace
}  // namespace kernbench

extern "C" {

std::unique_ptr<kernbench::Job> WRAPPED(__real_)(const kernbench::DataOp& op,
                                                 const kernbench::ValueLookup& lookup,
                                                 const kernbench::StopQuestion& stop);

std::unique_ptr<kernbench::Job> WRAPPED(__wrap_)(const kernbench::DataOp& op,
                                                 const kernbench::ValueLookup& lookup,
                                                 const kernbench::StopQuestion& stop) {
  std::unique_ptr<kernbench::Job> job = WRAPPED(__real_)(op, lookup, stop);
  const char* faulty = std::getenv("KERNBENCH_FAULTY_OP");
  if (faulty == nullptr || std::strtoull(faulty, nullptr, 10) != op.id) return job;
  return std::make_unique<kernbench::FaultyJob>(op, std::move(job));
}

}  // extern "C"
