#include "sw/collectives/pipelined_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sw/tl/overlap.h"

namespace kernbench {

using Kind = MessageStep::Kind;

PipelinedRun::PipelinedRun(tl::Program& tl, const std::vector<BlockPosition>& places,
                           const ScheduleOptions& options, const MessageCut& cut, int span,
                           std::int64_t ahead)
    : tl_(tl), places_(places), options_(options), cut_(cut), span_(span),
      most_in_flight_(static_cast<std::size_t>(2 * ahead)),
      size_(static_cast<std::int64_t>(size_of(options.dtype))), blocks_(places.size()) {}

void PipelinedRun::run(const std::vector<MessageStep>& steps, std::int64_t section,
                       std::int64_t sections) {
  const tl::Overlap overlap(tl_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    blocks_[i].clear();
    for (std::int64_t each = section; each < section + sections; ++each) {
      const ElementRange whole = cut_.section(places_[i].elements, each);
      for (std::int64_t chunk = 0; chunk < cut_.chunks; ++chunk)
        blocks_[i].push_back({cut_.chunk(whole, chunk), {}, {}});
    }
  }
  for (const MessageStep& step : steps) {
    Chunk& chunk =
        blocks_[static_cast<std::size_t>(step.block)][static_cast<std::size_t>(step.chunk)];
    // A load covers several chunks, the first of which may be empty.
    if (chunk.range.elements() > 0 || step.kind == Kind::load) run(step, chunk);
  }
}

void PipelinedRun::finish() {
  tl_.wait();
  sends_.clear();
  stores_.clear();
}

void PipelinedRun::run(const MessageStep& step, Chunk& chunk) {
  switch (step.kind) {
    case Kind::load:
      return load(step);
    case Kind::expect:
      expected_.push_back(tl_.recv_async(step.direction, {chunk.range.elements()}, options_.dtype));
      return;
    case Kind::send:
      leave(sends_, tl_.send_async(step.direction, *chunk.value));
      if (step.last) chunk.value.reset();
      return;
    case Kind::pass_on:
      leave(sends_, tl_.send_async(step.direction, *chunk.came));
      chunk.came.reset();
      return;
    case Kind::receive:
      chunk.value = take(step, chunk);
      return;
    case Kind::reduce:
    case Kind::add: {
      const MathOp op = step.kind == Kind::add ? MathOp::add : math_op_of(options_.op);
      chunk.value = tl_.math(op, {*chunk.value, take(step, chunk)});
      return;
    }
    case Kind::finish:
      if (options_.divides_sum()) chunk.value = tl_.idiv(*chunk.value, options_.contributions);
      return;
    case Kind::store:
      store(step, chunk);
      if (step.last) chunk.value.reset();
      return;
  }
}

void PipelinedRun::load(const MessageStep& step) {
  std::vector<Chunk>& chunks = blocks_[static_cast<std::size_t>(step.block)];
  const auto first = chunks.begin() + step.chunk;
  const auto last = first + std::min<std::ptrdiff_t>(span_, chunks.end() - first);
  const ElementRange whole{first->range.begin, std::prev(last)->range.end};
  if (whole.elements() == 0) return;
  const tl::Ptr from = *places_[static_cast<std::size_t>(step.block)].from;
  tl::Handle loaded =
      tl_.load_async(from + whole.begin * size_, {whole.elements()}, options_.dtype);
  if (options_.divides_summands()) loaded = tl_.div(loaded, options_.contributions);
  for (auto chunk = first; chunk != last; ++chunk) {
    if (chunk->range.elements() > 0)
      chunk->value =
          tl_.slice(loaded, chunk->range.begin - whole.begin, chunk->range.end - whole.begin);
  }
}

tl::Handle PipelinedRun::take(const MessageStep& step, Chunk& chunk) {
  tl::Handle message = tl_.wait(expected_.front());
  expected_.pop_front();
  if (step.passed_on) chunk.came = message;
  return message;
}

void PipelinedRun::store(const MessageStep& step, const Chunk& chunk) {
  const BlockPosition& place = places_[static_cast<std::size_t>(step.block)];
  if (place.to)
    leave(stores_, tl_.store_async(*place.to + chunk.range.begin * size_, *chunk.value));
}

// If more sends are in flight than may run ahead, the schedule has reached the place of the oldest
// one: waiting for it matches a blocking send. A command counts as in flight until it has been
// queried.
void PipelinedRun::leave(std::deque<tl::Handle>& in_flight, tl::Handle handle) {
  in_flight.push_back(std::move(handle));
  while (!in_flight.empty() && in_flight.front().done()) in_flight.pop_front();
  for (; in_flight.size() > most_in_flight_; in_flight.pop_front()) tl_.wait(in_flight.front());
}

}  // namespace kernbench
