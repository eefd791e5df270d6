#include "sw/collectives/run_schedule.h"

#include <algorithm>
#include <limits>

#include "sw/collectives/message_cut.h"
#include "sw/collectives/pipeline.h"
#include "sw/collectives/pipelined_run.h"

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
    std::optional<tl::Handle> loaded;               // section as loaded from memory
    std::vector<std::optional<tl::Handle>> chunks;  // values that have changed since
    std::vector<std::optional<tl::Handle>> came;    // last messages
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
        if (options_.divides_sum())
          chunk = tl_.idiv(value(index, step.chunk), options_.contributions);
        return;
      case Kind::store:
        return store(index, step.chunk, range);
      case Kind::load:
      case Kind::expect:
        return;  // only in the pipelined order
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
      if (options_.divides_summands())
        block.loaded = tl_.div(*block.loaded, options_.contributions);
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

// Slots of the smallest ring of a schedule; 0: no messages.
int ring_slots(const tl::Program& tl, const Schedule& schedule) {
  int least = 0;
  for (const Phase& phase : schedule) {
    for (const Step& step : phase) {
      if (!sends(step) && !takes(step)) continue;
      const int slots = tl.ring_slots(step.direction);
      least = least == 0 ? slots : std::min(least, slots);
    }
  }
  return least;
}

// Redirects results of an out-of-place call to its output.
std::vector<BlockPosition> with_output(const tl::Program& tl, std::vector<BlockPosition> blocks,
                                       const ScheduleOptions& options) {
  if (options.output == nullptr) return blocks;
  const PeId here = tl.pe_id();
  const tl::Ptr from = tl::Tensor(options.input, here).local(),
                to = tl::Tensor(options.output, here).local();
  for (BlockPosition& block : blocks) {
    if (block.to) block.to = to + static_cast<std::int64_t>(block.to->address() - from.address());
  }
  return blocks;
}

constexpr std::int64_t most_chunks = 256;  // chunks of a block in a list of steps
// A PE that reads one chunk at a time is slower than a fast link, because each read adds its
// latency.
constexpr std::int64_t most_span = 2;  // chunks of a load

struct Plan {
  MessageCut cut;
  std::int64_t ahead = 0;  // messages announced ahead; 0: sequential
};

// Number of the largest messages that fit `bytes`.
std::int64_t messages_in(std::uint64_t bytes, std::int64_t largest, const MessageCut& cut,
                         DType dtype) {
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t elements =
      ceil_div(ceil_div(std::max<std::int64_t>(largest, 1), cut.sections), cut.chunks);
  return static_cast<std::int64_t>(bytes / size_of(dtype)) / elements;
}

// All PEs that exchange messages use the same cut. Pipelined: half of the scratch holds the values,
// the rest the announced and outgoing messages; the number of chunks is limited by a list of steps.
// Sequential: a block is kept as loaded, as combined and as received, in addition to operations in
// flight.
Plan plan_of(std::int64_t largest, std::int64_t blocks, std::uint64_t slot_bytes,
             const ScheduleOptions& options) {
  const auto cut_into = [&](std::int64_t at_once, std::uint64_t section_bytes) {
    return options.chunking
               ? MessageCut::of(largest, at_once, size_of(options.dtype), section_bytes, slot_bytes)
               : MessageCut{};
  };
  if (options.pipelined) {
    const std::int64_t at_once =
        options.blocks_at_once > 0 ? std::min(options.blocks_at_once, blocks) : blocks;
    const std::uint64_t of_chunks = static_cast<std::uint64_t>(at_once * most_chunks) * slot_bytes;
    const MessageCut cut = cut_into(at_once, std::min(options.scratch_bytes / 2, of_chunks));
    const std::int64_t ahead = messages_in(options.scratch_bytes / 16, largest, cut, options.dtype);
    if (ahead > 0) return {cut, ahead};
  }
  return {cut_into(blocks, options.scratch_bytes / 4), 0};
}

void run_step_by_step(tl::Program& tl, const Schedule& schedule,
                      const std::vector<BlockPosition>& blocks, const ScheduleOptions& options,
                      const MessageCut& cut) {
  const std::vector<MessageStep> steps = unroll(schedule, static_cast<int>(blocks.size()),
                                                static_cast<int>(cut.chunks), options.window);
  ScheduleRun run(tl, blocks, options, cut);
  for (std::int64_t section = 0; section < cut.sections; ++section) run.run_section(steps, section);
}

// Blocks that are copied if no step changes them.
std::vector<bool> moved(const std::vector<BlockPosition>& blocks) {
  std::vector<bool> moved;
  for (const BlockPosition& block : blocks)
    moved.push_back(block.from && block.to && block.from->address() != block.to->address());
  return moved;
}

void run_pipelined(tl::Program& tl, const Schedule& schedule,
                   const std::vector<BlockPosition>& blocks, const ScheduleOptions& options,
                   const Plan& plan) {
  const auto at_most = [&plan](std::int64_t most) {
    return static_cast<int>(std::min(plan.ahead, most));
  };
  const MessageCut& cut = plan.cut;
  PipelineShape shape{static_cast<int>(blocks.size()), static_cast<int>(cut.chunks), options.window,
                      at_most(2 * options.window),     at_most(most_span),           moved(blocks)};
  PipelinedRun run(tl, blocks, options, cut, shape.span, plan.ahead);
  // Sections are combined up to the limit of a list of steps, because each list drains the links.
  const std::int64_t at_once = std::max<std::int64_t>(1, most_chunks / cut.chunks);
  std::vector<MessageStep> steps;
  for (std::int64_t section = 0; section < cut.sections; section += at_once) {
    const auto sections = static_cast<int>(std::min(at_once, cut.sections - section));
    if (steps.empty() || sections != shape.sections) {
      shape.sections = sections;
      steps = pipeline(schedule, shape);
    }
    run.run(steps, section, sections);
  }
  run.finish();
}

}  // namespace

MessageCut message_cut(std::int64_t largest, std::int64_t blocks, std::uint64_t slot_bytes,
                       const ScheduleOptions& options) {
  return plan_of(largest, blocks, slot_bytes, options).cut;
}

void run_schedule(tl::Program& tl, const Schedule& as_written,
                  const std::vector<BlockPosition>& blocks_in_place, const ScheduleOptions& asked) {
  const Schedule schedule = schedules::with_prefix(asked.directions, as_written);
  ScheduleOptions options = asked;
  const std::vector<BlockPosition> blocks = with_output(tl, blocks_in_place, options);
  std::int64_t largest = 0;
  for (const BlockPosition& block : blocks) largest = std::max(largest, block.elements);
  const auto count = static_cast<std::int64_t>(blocks.size());
  const int slots = ring_slots(tl, schedule);
  if (slots == 0) {
    options.pipelined = false;
    const std::uint64_t unlimited = std::numeric_limits<std::int64_t>::max();
    return run_step_by_step(tl, schedule, blocks, options,
                            plan_of(largest, count, unlimited, options).cut);
  }
  options.window = std::min(options.window, slots);
  const Plan plan = plan_of(largest, count, tl.slot_bytes(), options);
  plan.ahead > 0 ? run_pipelined(tl, schedule, blocks, options, plan)
                 : run_step_by_step(tl, schedule, blocks, options, plan.cut);
}

}  // namespace kernbench
