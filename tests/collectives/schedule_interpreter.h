// Carries out the schedules of all PEs of a collective on plain numbers: the messages of every
// queue pair in order, at most `n_slots` of them in flight in one direction. What a machine would
// do, without time; a deadlock is an error. Step by step, where a send blocks while its ring is
// full and a receive takes a message out of it; or in the pipelined order, where what is sent waits
// in a line of its queue pair, and messages that are expected leave the ring by themselves.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/collectives/message_cut.h"
#include "sw/collectives/neighbour_graph.h"
#include "sw/collectives/pipeline.h"
#include "sw/collectives/schedule.h"

namespace kernbench::test {

using Values = std::vector<double>;

// A block before and after: what is absent is unknown, and must not be sent before something has
// come.
struct TestBlock {
  std::int64_t elements = 0;
  std::optional<Values> values;
};

struct TestPe {
  Schedule schedule;
  std::vector<TestBlock> blocks;
};

struct TestCut {
  std::uint64_t slot_elements = 4;
  std::uint64_t section_elements = 1000;  // of all blocks
  int n_slots = 4;
  bool pipelined = false;
  int depth = 1;  // pipelined: receives announced ahead
  int span = 1;   // and chunks of a load
};

class ScheduleInterpreter {
 public:
  using Combine = std::function<double(double, double)>;

  ScheduleInterpreter(std::map<PeId, TestPe> pes, const NeighbourGraph& graph, const TestCut& cut,
                      Combine combine)
      : pes_(std::move(pes)), cut_(cut), combine_(std::move(combine)) {
    for (const QueuePairEnd& end : queue_pairs(graph))
      peers_[{end.pe, end.direction}] = {end.peer, end.peer_direction};
    std::int64_t largest = 0;
    std::size_t blocks = 0;
    for (const auto& entry : pes_) {
      blocks = std::max(blocks, entry.second.blocks.size());
      for (const TestBlock& block : entry.second.blocks)
        largest = std::max(largest, block.elements);
    }
    message_cut_ = MessageCut::of(largest, static_cast<std::int64_t>(blocks), 1,
                                  cut.section_elements, cut.slot_elements);
    for (auto& [where, pe] : pes_) programs_.push_back({where, &pe, {}, 0, 0, {}, {}});
    for (Program& program : programs_) {
      const auto count = static_cast<int>(program.pe->blocks.size());
      const auto chunks = static_cast<int>(message_cut_.chunks);
      program.steps = cut.pipelined ? pipeline(program.pe->schedule,
                                               {count, chunks, cut.n_slots, cut.depth, cut.span,
                                                std::vector<bool>(static_cast<std::size_t>(count))})
                                    : unroll(program.pe->schedule, count, chunks, cut.n_slots);
    }
  }

  // The blocks of every PE at the end. std::runtime_error: no PE can go on, or messages are left.
  std::map<PeId, TestPe> run() {
    bool all_ended = false;
    while (!all_ended) {
      bool progress = false;
      all_ended = true;
      for (Program& program : programs_) {
        while (step(program)) progress = true;
        progress = move_messages() || progress;
        all_ended = all_ended && ended(program);
      }
      if (!progress && !all_ended) throw std::runtime_error("deadlock");
    }
    move_messages();
    for (const auto* queues : {&messages_, &leaving_, &taken_}) {
      for (const auto& entry : *queues) {
        if (!entry.second.empty())
          throw std::runtime_error("a message is left in " + entry.first.first.str() + " " +
                                   entry.first.second);
      }
    }
    return pes_;
  }

  std::uint64_t messages() const { return sent_; }
  std::size_t most_values() const { return most_values_; }  // pipelined: chunks of a PE at a time
  std::int64_t largest_message() const { return largest_message_; }

 private:
  using End = std::pair<PeId, std::string>;
  struct Program {
    PeId where;
    TestPe* pe;
    std::vector<MessageStep> steps;
    std::int64_t section;
    std::size_t next;
    std::map<std::pair<int, int>, Values> came;  // by block and chunk
    std::set<std::pair<int, int>> known;         // pipelined: chunks whose value is in TCM
  };

  bool ended(const Program& program) const { return program.section == message_cut_.sections; }

  bool step(Program& program) {
    if (program.next == program.steps.size()) {
      program.next = 0;
      if (!ended(program)) ++program.section;
    }
    if (ended(program)) return false;
    if (program.steps.empty()) return true;
    const MessageStep& step = program.steps[program.next];
    TestBlock& block = program.pe->blocks.at(static_cast<std::size_t>(step.block));
    const ElementRange range =
        message_cut_.chunk(message_cut_.section(block.elements, program.section), step.chunk);
    if (range.elements() > 0 || step.kind == MessageStep::Kind::load) {
      if (cut_.pipelined) check_value(program, step);
      if (!carry_out(program, step, block, range)) return false;
      if (cut_.pipelined) note_value(program, step);
    }
    ++program.next;
    return true;
  }

  bool carry_out(Program& program, const MessageStep& step, TestBlock& block,
                 const ElementRange& range) {
    using Kind = MessageStep::Kind;
    switch (step.kind) {
      case Kind::send:
        return send(program, step, part(block, range));
      case Kind::pass_on:
        return send(program, step, program.came.at({step.block, step.chunk}));
      case Kind::receive:
      case Kind::reduce:
      case Kind::add: {
        auto& queue = (cut_.pipelined ? taken_ : messages_)[{program.where, step.direction}];
        if (queue.empty()) return false;
        const Values came = queue.front();
        queue.pop_front();
        if (static_cast<std::int64_t>(came.size()) != range.elements())
          throw std::runtime_error("a message of another size");
        if (!cut_.pipelined || step.passed_on) program.came[{step.block, step.chunk}] = came;
        if (!block.values) block.values = Values(static_cast<std::size_t>(block.elements));
        for (std::size_t i = 0; i < came.size(); ++i) {
          double& mine = (*block.values)[static_cast<std::size_t>(range.begin) + i];
          mine = step.kind == Kind::receive ? came[i]
                 : step.kind == Kind::add   ? mine + came[i]
                                            : combine_(mine, came[i]);
        }
        return true;
      }
      case Kind::expect:
        ++expected_[{program.where, step.direction}];
        return true;
      case Kind::load:
      case Kind::finish:
      case Kind::store:
        return true;
    }
    return true;
  }

  // --- The pipelined order

  void check_value(const Program& program, const MessageStep& step) const {
    using Kind = MessageStep::Kind;
    const bool uses = step.kind == Kind::send || step.kind == Kind::reduce ||
                      step.kind == Kind::add || step.kind == Kind::finish ||
                      step.kind == Kind::store;
    if (uses && program.known.count({step.block, step.chunk}) == 0)
      throw std::runtime_error("a value is used that has not been loaded, or no more");
  }

  void note_value(Program& program, const MessageStep& step) {
    using Kind = MessageStep::Kind;
    const bool makes = step.kind == Kind::load || step.kind == Kind::receive ||
                       step.kind == Kind::reduce || step.kind == Kind::add ||
                       step.kind == Kind::finish;
    if (makes) program.known.insert({step.block, step.chunk});
    const int loaded = step.kind == Kind::load ? cut_.span : 0;
    for (int i = 1; i < loaded && step.chunk + i < static_cast<int>(message_cut_.chunks); ++i)
      program.known.insert({step.block, step.chunk + i});
    most_values_ = std::max(most_values_, program.known.size());
    if (!makes && step.last) program.known.erase({step.block, step.chunk});
  }

  // Into rings that have room, and out of them where they are expected.
  bool move_messages() {
    bool moved = false;
    for (auto& [end, line] : leaving_) {
      auto& ring = messages_[end];
      for (; !line.empty() && ring.size() < static_cast<std::size_t>(cut_.n_slots); moved = true) {
        ring.push_back(std::move(line.front()));
        line.pop_front();
      }
    }
    for (auto& [end, count] : expected_) {
      auto& ring = messages_[end];
      for (; count > 0 && !ring.empty(); --count, moved = true) {
        taken_[end].push_back(std::move(ring.front()));
        ring.pop_front();
      }
    }
    return moved;
  }

  static Values part(const TestBlock& block, const ElementRange& range) {
    if (!block.values) throw std::runtime_error("a block is sent that its sender does not have");
    return {block.values->begin() + range.begin, block.values->begin() + range.end};
  }

  bool send(const Program& program, const MessageStep& step, Values values) {
    const auto peer = peers_.find({program.where, step.direction});
    if (peer == peers_.end())
      throw std::runtime_error(program.where.str() + " has no direction " + step.direction);
    auto& queue = (cut_.pipelined ? leaving_ : messages_)[peer->second];
    if (!cut_.pipelined && queue.size() == static_cast<std::size_t>(cut_.n_slots)) return false;
    largest_message_ = std::max(largest_message_, static_cast<std::int64_t>(values.size()));
    ++sent_;
    queue.push_back(std::move(values));
    return true;
  }

  std::map<PeId, TestPe> pes_;
  TestCut cut_;
  Combine combine_;
  MessageCut message_cut_;
  std::vector<Program> programs_;
  std::map<End, End> peers_;
  std::map<End, std::deque<Values>> messages_;         // by the receiving end
  std::map<End, std::deque<Values>> leaving_, taken_;  // pipelined: in front of the ring, behind it
  std::map<End, int> expected_;
  std::size_t most_values_ = 0;
  std::uint64_t sent_ = 0;
  std::int64_t largest_message_ = 0;
};

}  // namespace kernbench::test
