#include "sw/collectives/pipeline.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kernbench {
namespace {

using Kind = MessageStep::Kind;
using Steps = std::vector<MessageStep>;

constexpr int loads_ahead = 2;

bool sends(const MessageStep& step) {
  return step.kind == Kind::send || step.kind == Kind::pass_on;
}
bool takes(const MessageStep& step) {
  return step.kind == Kind::receive || step.kind == Kind::reduce || step.kind == Kind::add;
}
bool changes(const MessageStep& step) { return takes(step) || step.kind == Kind::finish; }
// Whether the step reads the block's value from before the step.
bool uses_value(const MessageStep& step) {
  return step.kind == Kind::send || step.kind == Kind::reduce || step.kind == Kind::add ||
         step.kind == Kind::finish || step.kind == Kind::store;
}

MessageStep step_of(Kind kind, const MessageStep& other) {
  MessageStep step;
  step.kind = kind;
  step.direction = kind == Kind::expect ? other.direction : "";
  step.block = other.block;
  step.chunk = other.chunk;
  return step;
}

class Pipeline {
 public:
  Pipeline(const Schedule& schedule, const PipelineShape& shape)
      : shape_(shape), chunks_(shape.chunks * shape.sections),
        steps_(in_sections(unroll(schedule, shape.blocks, shape.chunks, shape.window))) {}

  Steps run() {
    take_out_copies();
    send_early();
    expect_ahead();
    load_ahead();
    mark_ends();
    return std::move(steps_);
  }

 private:
  Steps in_sections(const Steps& section) const {
    Steps all;
    for (int first = 0; first < chunks_; first += shape_.chunks) {
      for (const MessageStep& step : section) {
        all.push_back(step);
        all.back().chunk += first;
      }
    }
    return all;
  }

  // One value for each chunk of each block.
  template <class T>
  std::vector<T> of_chunks(T value) const {
    return std::vector<T>(
        static_cast<std::size_t>(shape_.blocks) * static_cast<std::size_t>(chunks_), value);
  }
  std::size_t index(const MessageStep& step) const {
    return static_cast<std::size_t>(step.block) * static_cast<std::size_t>(chunks_) +
           static_cast<std::size_t>(step.chunk);
  }

  // Extracts the stores of blocks that no step changes: copies that run concurrently with the
  // messages, needed for moved blocks only.
  void take_out_copies() {
    std::vector<bool> changed(static_cast<std::size_t>(shape_.blocks));
    for (const MessageStep& step : steps_) {
      if (changes(step)) changed[static_cast<std::size_t>(step.block)] = true;
    }
    Steps rest;
    for (MessageStep& step : steps_) {
      const auto block = static_cast<std::size_t>(step.block);
      if (step.kind != Kind::store || changed[block])
        rest.push_back(std::move(step));
      else if (shape_.moved[block])
        copies_.push_back(std::move(step));
    }
    steps_ = std::move(rest);
  }

  void send_early() {
    std::vector<std::size_t> ready = ready_at(), all = indices_of_sends();
    std::size_t next = 0, copied = 0;  // index into `all`, into copies_
    Steps result;
    const auto emit = [&](const MessageStep& step) {
      result.push_back(step);
      if ((sends(step) || takes(step)) && copied < copies_.size())
        result.push_back(copies_[copied++]);
    };
    const auto most = static_cast<std::size_t>(sends_ahead(shape_));
    std::size_t before = 0;  // sends whose place in the schedule has been reached
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (sends(steps_[i])) {
        if (next == before) emit(steps_[all[next++]]);
        ++before;
        continue;
      }
      if (takes(steps_[i])) {
        while (next < all.size() && next < before + most && ready[next] <= i)
          emit(steps_[all[next++]]);
      }
      emit(steps_[i]);
    }
    for (; copied < copies_.size(); ++copied) result.push_back(copies_[copied]);
    steps_ = std::move(result);
  }

  std::vector<std::size_t> indices_of_sends() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (sends(steps_[i])) all.push_back(i);
    }
    return all;
  }

  // For each send, the first step after the last one that changes its chunk.
  std::vector<std::size_t> ready_at() const {
    std::vector<std::size_t> changed = of_chunks(std::size_t{0}), ready;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (sends(steps_[i])) ready.push_back(changed[index(steps_[i])]);
      if (changes(steps_[i])) changed[index(steps_[i])] = i + 1;
    }
    return ready;
  }

  // Keeps `depth` receives announced at any time.
  void expect_ahead() {
    Steps expected;
    for (const MessageStep& step : steps_) {
      if (takes(step)) expected.push_back(step_of(Kind::expect, step));
    }
    insert_ahead(expected, shape_.depth, [](const MessageStep& step) { return takes(step); });
  }

  // Chunks that are used before a message has arrived for them: all or none of a block.
  void load_ahead() {
    std::vector<bool> known = of_chunks<bool>(false), first(steps_.size());
    Steps loads;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const MessageStep& step = steps_[i];
      const bool uses = uses_value(step);
      if (!uses && step.kind != Kind::receive) continue;
      if (uses && !known[index(step)]) {
        first[i] = true;
        loads.push_back(step_of(Kind::load, step));
        loads.back().chunk -= step.chunk % shape_.span;
        const std::size_t from = index(loads.back());
        const int chunks = std::min(shape_.span, chunks_ - loads.back().chunk);
        std::fill_n(known.begin() + static_cast<std::ptrdiff_t>(from), chunks, true);
      }
      known[index(step)] = true;
    }
    std::size_t i = 0;
    insert_ahead(loads, loads_ahead, [&](const MessageStep&) { return first[i++]; });
  }

  // Merges `ahead` into the steps: the first `depth` at the start, then one after each step for
  // which `is_use` holds.
  template <class IsUse>
  void insert_ahead(const Steps& ahead, int depth, IsUse is_use) {
    Steps result;
    std::size_t next = 0;
    while (next < ahead.size() && next < static_cast<std::size_t>(depth))
      result.push_back(ahead[next++]);
    for (MessageStep& step : steps_) {
      const bool use = is_use(step);
      result.push_back(std::move(step));
      if (use && next < ahead.size()) result.push_back(ahead[next++]);
    }
    steps_ = std::move(result);
  }

  void mark_ends() {
    std::vector<bool> value = of_chunks<bool>(false), came = of_chunks<bool>(false);
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      const std::size_t chunk = index(*step);
      if (takes(*step)) {
        step->passed_on = came[chunk];
        came[chunk] = false;
      }
      if (step->kind == Kind::pass_on) came[chunk] = true;
      if (step->kind == Kind::receive) value[chunk] = false;
      if (uses_value(*step)) {
        step->last = !value[chunk];
        value[chunk] = true;
      }
    }
  }

  const PipelineShape& shape_;
  const int chunks_;  // chunks of a block in all sections
  Steps steps_;
  Steps copies_;
};

}  // namespace

std::vector<MessageStep> pipeline(const Schedule& schedule, const PipelineShape& shape) {
  return Pipeline(schedule, shape).run();
}

}  // namespace kernbench
