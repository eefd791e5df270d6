#include "sw/serving/serving_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "models/base/errors.h"

namespace kernbench::serving {
namespace {

class Server {
 public:
  Server(ServingRun& run, const IterationTime& iteration_time)
      : run_(run), iteration_time_(iteration_time), scheduler_(run.limits, run.requests),
        queued_at_(run.requests.size()) {}

  void run() {
    while (finished_ < run_.requests.size()) {
      if (scheduler_.running() == 0 && scheduler_.waiting() == 0)
        now_ = std::max(now_, run_.requests[arrived_].arrival);
      arrivals();
      iteration();
    }
  }

 private:
  void arrivals() {
    for (; arrived_ < run_.requests.size() && run_.requests[arrived_].arrival <= now_; ++arrived_) {
      queued_at_[arrived_] = run_.requests[arrived_].arrival;
      scheduler_.arrive(arrived_);
    }
    note_queue();
  }

  void iteration() {
    const Batch& batch = scheduler_.schedule();
    assert(!batch.empty());  // check_limits(): the first sequence always fits
    note_queue();
    if (scheduler_.waiting() > run_.limits.max_waiting) overload();
    note_schedule();
    IterationRecord row;
    row.start = now_;
    row.time = iteration_time_(batch);
    row.waiting = static_cast<std::uint32_t>(scheduler_.waiting());
    row.used_blocks = scheduler_.used_blocks();
    row.preemptions = static_cast<std::uint32_t>(scheduler_.preempted().size());
    if (row.time == 0 || __builtin_add_overflow(now_, row.time, &now_)) {
      throw ModelError(
          fmt::format("iteration {} at {} takes {}, allowed is more than 0 ns and an end below "
                      "18446 s",
                      run_.iterations.size(), format_ns(row.start), format_ns(row.time)));
    }
    for (const BatchSequence& sequence : batch) note_sequence(sequence, row);
    finished_ += row.finished;
    scheduler_.complete();
    run_.iterations.push_back(row);
  }

  void note_queue() {
    run_.peak_waiting =
        std::max(run_.peak_waiting, static_cast<std::uint32_t>(scheduler_.waiting()));
  }

  void note_schedule() {
    for (const std::size_t request : scheduler_.admitted()) {
      RequestRecord& record = run_.records[request];
      record.waited += now_ - queued_at_[request];
      if (record.preemptions == 0) record.first_scheduled = now_;
    }
    for (const std::size_t request : scheduler_.preempted()) {
      ++run_.records[request].preemptions;
      queued_at_[request] = now_;
    }
    run_.recomputed_tokens += scheduler_.lost_tokens();
  }

  void note_sequence(const BatchSequence& sequence, IterationRecord& row) {
    ++row.sequences;
    (sequence.is_decode() ? row.decode_tokens : row.prefill_tokens) += sequence.new_tokens;
    if (!sequence.emits) return;
    std::vector<Fs>& times = run_.records[sequence.request].token_times;
    times.push_back(now_);
    if (times.size() == run_.requests[sequence.request].output_tokens) ++row.finished;
  }

  [[noreturn]] void overload() const {
    throw UsageError(fmt::format(
        "the server is overloaded: at {} {} requests wait, allowed is max_waiting, {}; of {} that "
        "have arrived {} are finished. Allowed are a lower arrival rate, a shorter trace, or a "
        "larger max_waiting",
        format_ns(now_), scheduler_.waiting(), run_.limits.max_waiting, arrived_, finished_));
  }

  ServingRun& run_;
  const IterationTime& iteration_time_;
  Scheduler scheduler_;
  std::vector<Fs> queued_at_;  // last time at which each request entered the queue
  std::size_t arrived_ = 0, finished_ = 0;
  Fs now_ = 0;
};

}  // namespace

ServingRun serve(std::vector<Request> requests, const ServingLimits& limits,
                 const IterationTime& iteration_time) {
  if (requests.empty()) throw UsageError("there are no requests to serve, allowed is at least 1");
  check_limits(limits, requests);
  for (std::size_t i = 1; i < requests.size(); ++i) {
    if (requests[i].arrival >= requests[i - 1].arrival) continue;
    throw UsageError(fmt::format("request {} arrives at {}, before the preceding one, {}", i,
                                 format_ns(requests[i].arrival),
                                 format_ns(requests[i - 1].arrival)));
  }
  ServingRun run;
  run.limits = limits;
  run.requests = std::move(requests);
  run.records.resize(run.requests.size());
  Server(run, iteration_time).run();
  return run;
}

}  // namespace kernbench::serving
