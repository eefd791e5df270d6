#include "sw/collectives/run_schedule.h"

#include <algorithm>
#include <limits>

#include "sw/collectives/message_cut.h"

namespace kernbench {
namespace {

using Kind = MessageStep::Kind;

class ScheduleRun {
 public:
  ScheduleRun(tl::Program& tl, const std::vector<BlockPosition>& places,
              const ScheduleOptions& options, const MessageCut& cut)
      : tl_(tl), places_(places), options_(options), cut_(cut),
        size_(static_cast<std::int64_t>(size_of(options.dtype))) {}

  void run_section(const std::vector<MessageStep>& steps, std::int64_t section) {
    blocks_.assign(places_.size(), {});
    for (std::size_t i = 0; i < places_.size(); ++i) {
      blocks_[i].section = cut_.section(places_[i].elements, section);
      blocks_[i].chunks.resize(static_cast<std::size_t>(cut_.chunks));
      blocks_[i].came.resize(static_cast<std::size_t>(cut_.chunks));
    }
    for (const MessageStep& step : steps) run(step);
  }

 private:
  struct Block {
    ElementRange section;
    std::optional<tl::Handle> loaded;               // the section as it was in memory
    std::vector<std::optional<tl::Handle>> chunks;  // what has changed since
    std::vector<std::optional<tl::Handle>> came;    // the last messages
  };

  void run(const MessageStep& step) {
    const auto index = static_cast<std::size_t>(step.block);
    Block& block = blocks_[index];
    const ElementRange range = cut_.chunk(block.section, step.chunk);
    if (range.elements() == 0) return;
    std::optional<tl::Handle>& chunk = block.chunks[static_cast<std::size_t>(step.chunk)];
    std::optional<tl::Handle>& came = block.came[static_cast<std::size_t>(step.chunk)];
    switch (step.kind) {
      case Kind::send:
        return tl_.send(step.direction, value(index, step.chunk));
      case Kind::pass_on:
        tl_.send(step.direction, *came);
        came.reset();
        return;
      case Kind::receive:
        chunk = tl_.recv(step.direction, {range.elements()}, options_.dtype);
        return;
      case Kind::reduce:
      case Kind::add: {
        const tl::Handle mine = value(index, step.chunk);
        came = tl_.recv(step.direction, {range.elements()}, options_.dtype);
        const MathOp op = step.kind == Kind::add ? MathOp::add : math_op_of(options_.op);
        chunk = tl_.math(op, {mine, *came});
        return;
      }
      case Kind::finish:
        if (options_.op == ReduceOp::avg && options_.contributions > 1)
          chunk = tl_.math(MathOp::div,
                           {value(index, step.chunk), static_cast<double>(options_.contributions)},
                           {}, options_.dtype);
        return;
      case Kind::store:
        return store(index, step.chunk, range);
    }
  }

  void store(std::size_t index, int chunk, const ElementRange& range) {
    const BlockPosition& place = places_[index];
    if (!place.to) return;
    const bool in_place = place.from && place.from->address() == place.to->address();
    if (in_place && !blocks_[index].chunks[static_cast<std::size_t>(chunk)]) return;
    tl_.store(*place.to + range.begin * size_, value(index, chunk));
  }

  tl::Handle value(std::size_t index, int chunk) {
    Block& block = blocks_[index];
    const auto& changed = block.chunks[static_cast<std::size_t>(chunk)];
    if (changed) return *changed;
    if (!block.loaded) {
      block.loaded = tl_.load(*places_[index].from + block.section.begin * size_,
                              {block.section.elements()}, options_.dtype);
    }
    const ElementRange range = cut_.chunk(block.section, chunk);
    return tl_.slice(*block.loaded, range.begin - block.section.begin,
                     range.end - block.section.begin);
  }

  tl::Program& tl_;
  const std::vector<BlockPosition>& places_;
  const ScheduleOptions& options_;
  const MessageCut cut_;
  const std::int64_t size_;
  std::vector<Block> blocks_;
};

bool has_messages(const Schedule& schedule) {
  const auto is_message = [](const Step& step) { return sends(step) || takes(step); };
  return std::any_of(schedule.begin(), schedule.end(), [&](const Phase& phase) {
    return std::any_of(phase.begin(), phase.end(), is_message);
  });
}

// Results of a call out of place go to its output.
std::vector<BlockPosition> with_output(const tl::Program& tl, std::vector<BlockPosition> blocks,
                                       const ScheduleOptions& options) {
  if (options.output == nullptr) return blocks;
  const PeId here{tl.program_id(2), tl.program_id(1), tl.program_id(0)};
  const tl::Ptr from = tl::Tensor(options.input, here).local(),
                to = tl::Tensor(options.output, here).local();
  for (BlockPosition& block : blocks) {
    if (block.to) block.to = to + static_cast<std::int64_t>(block.to->address() - from.address());
  }
  return blocks;
}

}  // namespace

void run_schedule(tl::Program& tl, const Schedule& schedule,
                  const std::vector<BlockPosition>& blocks_in_place,
                  const ScheduleOptions& options) {
  const std::vector<BlockPosition> blocks = with_output(tl, blocks_in_place, options);
  std::int64_t largest = 0;
  for (const BlockPosition& block : blocks) largest = std::max(largest, block.elements);
  const auto count = static_cast<std::int64_t>(blocks.size());
  const std::uint64_t unlimited = std::numeric_limits<std::int64_t>::max();
  MessageCut cut;
  if (options.chunking) {
    const std::uint64_t slot = has_messages(schedule) ? tl.slot_bytes() : unlimited;
    cut = MessageCut::of(largest, count, size_of(options.dtype), options.section_bytes, slot);
  }
  const std::vector<MessageStep> steps =
      unroll(schedule, static_cast<int>(count), static_cast<int>(cut.chunks), options.window);
  ScheduleRun run(tl, blocks, options, cut);
  for (std::int64_t section = 0; section < cut.sections; ++section) run.run_section(steps, section);
}

}  // namespace kernbench
