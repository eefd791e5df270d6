// PipelinedRun: carries out a schedule in its pipelined order (pipeline.h) on the PE that runs the
// kernel: loads, receives, reductions, sends and stores are left under way.
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
  // `ahead`: messages that have room beside the values, sends and stores under way each twice.
  PipelinedRun(tl::Program& tl, const std::vector<BlockPosition>& places,
               const ScheduleOptions& options, const MessageCut& cut, int span, std::int64_t ahead);

  // The steps of so many sections from the given one on.
  void run(const std::vector<MessageStep>& steps, std::int64_t section, std::int64_t sections);
  // Waits for all that has been left under way.
  void finish();

 private:
  // The values of a chunk of a block.
  struct Chunk {
    ElementRange range;
    std::optional<tl::Handle> value;  // as it is
    std::optional<tl::Handle> came;   // the last message, if it is passed on
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
  const int span_;                    // chunks of a load
  const std::size_t most_in_flight_;  // sends, and stores
  const std::int64_t size_;
  std::vector<std::vector<Chunk>> blocks_;
  std::deque<tl::RecvFuture> expected_;
  std::deque<tl::Handle> sends_, stores_;  // under way, the oldest first
};

}  // namespace kernbench
