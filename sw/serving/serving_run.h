// serve(): requests of a trace through the scheduler, on a clock that each iteration advances by
// the time that its batch takes on the machine.
#pragma once

#include <functional>

#include "sw/serving/scheduler.h"

namespace kernbench::serving {

// Time of one iteration of the model, above 0.
using IterationTime = std::function<Fs(const Batch& batch)>;

struct RequestRecord {
  Fs first_scheduled = 0;
  Fs waited = 0;  // time in the queue, also after preemptions
  std::uint32_t preemptions = 0;
  std::vector<Fs> token_times;  // time of each output token; the last one ends the request
};

struct IterationRecord {
  Fs start = 0, time = 0;
  std::uint32_t sequences = 0;
  std::uint32_t prefill_tokens = 0, decode_tokens = 0;  // BatchSequence::is_decode()
  std::uint32_t waiting = 0;                            // left in the queue by the scheduler
  std::uint32_t used_blocks = 0;
  std::uint32_t preemptions = 0;
  std::uint32_t finished = 0;
};

struct ServingRun {
  ServingLimits limits;
  std::vector<Request> requests;
  std::vector<RequestRecord> records;  // one per request
  std::vector<IterationRecord> iterations;
  std::uint64_t recomputed_tokens = 0;  // lost by preemptions
  std::uint32_t peak_waiting = 0;       // including requests that the next iteration admits
};

// Runs until every request has finished. Requests that arrive during an iteration, or at its end,
// are seen by the next one; the clock skips times without a request. Output tokens exist at the end
// of their iteration. The requests are in order of arrival; at one time their order in the trace is
// that of arrival.
//
// Throws UsageError: no requests, arrivals that do not ascend, check_limits(), and an overload: an
// iteration that leaves more than max_waiting requests in the queue. ModelError for an iteration
// time of 0, or a time beyond 64 bits.
ServingRun serve(std::vector<Request> requests, const ServingLimits& limits,
                 const IterationTime& iteration_time);

}  // namespace kernbench::serving
