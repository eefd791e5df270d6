#include "sw/collectives/pipelined_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sw/tl/overlap.h"

namespace kernbench {

using Kind = MessageStep::Kind;

PipelinedRun::PipelinedRun(tl::Program& tl, const std::vector<BlockPosition>& places,
                           const ScheduleOptions& options, const MessageCut& cut, int span)
    : tl_(tl), places_(places), options_(options), cut_(cut), span_(span),
      size_(static_cast<std::int64_t>(size_of(options.dtype))), blocks_(places.size()) {}

void PipelinedRun::run_section(const std::vector<MessageStep>& steps, std::int64_t section) {
  const tl::Overlap overlap(tl_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const ElementRange whole = cut_.section(places_[i].elements, section);
    blocks_[i].assign(static_cast<std::size_t>(cut_.chunks), {});
    for (std::size_t chunk = 0; chunk < blocks_[i].size(); ++chunk)
      blocks_[i][chunk].range = cut_.chunk(whole, static_cast<std::int64_t>(chunk));
  }
  for (const MessageStep& step : steps) {
    Chunk& chunk =
        blocks_[static_cast<std::size_t>(step.block)][static_cast<std::size_t>(step.chunk)];
    if (step.kind == Kind::load) {  // of several chunks: the first may be empty
      load(step);
      continue;
    }
    if (chunk.range.elements() == 0) continue;
    run(step, chunk);
    const bool makes_value =
        step.kind == Kind::reduce || step.kind == Kind::add || step.kind == Kind::finish;
    if (step.last && !makes_value) chunk.value.reset();
  }
}

void PipelinedRun::finish() {
  tl_.wait();
  sends_.clear();
  stores_.clear();
}

void PipelinedRun::run(const MessageStep& step, Chunk& chunk) {
  const Shape shape{chunk.range.elements()};
  switch (step.kind) {
    case Kind::load:
      return;  // run_section()
    case Kind::expect:
      expected_.push_back(tl_.recv_async(step.direction, shape, options_.dtype));
      return;
    case Kind::send:
      return leave(sends_, tl_.send_async(step.direction, *chunk.value));
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
      if (options_.op == ReduceOp::avg && options_.contributions > 1)
        chunk.value =
            tl_.math(MathOp::div, {*chunk.value, static_cast<double>(options_.contributions)}, {},
                     options_.dtype);
      return;
    case Kind::store:
      return store(step, chunk);
  }
}

void PipelinedRun::load(const MessageStep& step) {
  std::vector<Chunk>& chunks = blocks_[static_cast<std::size_t>(step.block)];
  const auto first = chunks.begin() + step.chunk;
  const auto last = first + std::min<std::ptrdiff_t>(span_, chunks.end() - first);
  const ElementRange whole{first->range.begin, std::prev(last)->range.end};
  if (whole.elements() == 0) return;
  const tl::Ptr from = *places_[static_cast<std::size_t>(step.block)].from;
  const tl::Handle loaded =
      tl_.load_async(from + whole.begin * size_, {whole.elements()}, options_.dtype);
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

// A command that has not been asked for counts as under way.
void PipelinedRun::leave(std::deque<tl::Handle>& others, tl::Handle handle) {
  others.push_back(std::move(handle));
  while (others.front().done()) {
    others.pop_front();
    if (others.empty()) return;
  }
  const auto most = static_cast<std::size_t>(2 * options_.window);  // sends ahead of their place
  if (others.size() <= most) return;
  tl_.wait(others.front());
  others.pop_front();
}

}  // namespace kernbench
