// PipelinedRun: executes a schedule in its pipelined order (pipeline.h) on the PE that runs the
// kernel: loads, receives, reductions, sends and stores are not blocking.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sw/collectives/message_cut.h"
#include "sw/collectives/run_schedule.h"

namespace kernbench {

class PipelinedRun {
 public:
  // `ahead`: number of messages that fit the scratch next to the values; at most twice as many
  // sends, and as many stores, are in flight.
  PipelinedRun(tl::Program& tl, const std::vector<BlockPosition>& places,
               const ScheduleOptions& options, const MessageCut& cut, int span, std::int64_t ahead);

  // Runs the steps of `sections` sections from `section` on.
  void run(const std::vector<MessageStep>& steps, std::int64_t section, std::int64_t sections);
  // Waits for all operations in flight.
  void finish();

 private:
  // Values of a chunk of a block.
  struct Chunk {
    ElementRange range;
    std::optional<tl::Handle> value;  // current value
    std::optional<tl::Handle> came;   // last message, if it is passed on
  };

  void run(const MessageStep& step, Chunk& chunk);
  void load(const MessageStep& step);
  tl::Handle take(const MessageStep& step, Chunk& chunk);
  void store(const MessageStep& step, const Chunk& chunk);
  void leave(std::deque<tl::Handle>& in_flight, tl::Handle handle);

  tl::Program& tl_;
  const std::vector<BlockPosition>& places_;
  const ScheduleOptions& options_;
  const MessageCut cut_;
  const int span_;                    // chunks per load
  const std::size_t most_in_flight_;  // limit for sends, and for stores
  const std::int64_t size_;
  std::vector<std::vector<Chunk>> blocks_;
  std::deque<tl::RecvFuture> expected_;
  std::deque<tl::Handle> sends_, stores_;  // in flight, oldest first
};

}  // namespace kernbench
