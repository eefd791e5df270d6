// Carries out the schedules of all PEs of a collective on plain numbers: the messages of every
// queue pair in order, at most `n_slots` of them under way in one direction. What a machine would
// do, without time; a deadlock is an error.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/collectives/message_cut.h"
#include "sw/collectives/neighbour_graph.h"
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
    for (auto& [where, pe] : pes_) programs_.push_back({where, &pe, {}, 0, 0, {}});
    for (Program& program : programs_)
      program.steps = unroll(program.pe->schedule, static_cast<int>(program.pe->blocks.size()),
                             static_cast<int>(message_cut_.chunks), cut.n_slots);
  }

  // The blocks of every PE at the end. std::runtime_error: nobody can go on, or messages are left.
  std::map<PeId, TestPe> run() {
    bool all_ended = false;
    while (!all_ended) {
      bool progress = false;
      all_ended = true;
      for (Program& program : programs_) {
        while (step(program)) progress = true;
        all_ended = all_ended && ended(program);
      }
      if (!progress && !all_ended) throw std::runtime_error("deadlock");
    }
    for (const auto& entry : messages_) {
      if (!entry.second.empty())
        throw std::runtime_error("a message is left in " + entry.first.first.str() + " " +
                                 entry.first.second);
    }
    return pes_;
  }

  std::uint64_t messages() const { return sent_; }
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
    if (range.elements() > 0 && !carry_out(program, step, block, range)) return false;
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
        auto& queue = messages_[{program.where, step.direction}];
        if (queue.empty()) return false;
        const Values came = queue.front();
        queue.pop_front();
        if (static_cast<std::int64_t>(came.size()) != range.elements())
          throw std::runtime_error("a message of another size");
        program.came[{step.block, step.chunk}] = came;
        if (!block.values) block.values = Values(static_cast<std::size_t>(block.elements));
        for (std::size_t i = 0; i < came.size(); ++i) {
          double& mine = (*block.values)[static_cast<std::size_t>(range.begin) + i];
          mine = step.kind == Kind::receive ? came[i]
                 : step.kind == Kind::add   ? mine + came[i]
                                            : combine_(mine, came[i]);
        }
        return true;
      }
      case Kind::finish:
      case Kind::store:
        return true;
    }
    return true;
  }

  static Values part(const TestBlock& block, const ElementRange& range) {
    if (!block.values) throw std::runtime_error("a block is sent that nobody has");
    return {block.values->begin() + range.begin, block.values->begin() + range.end};
  }

  bool send(const Program& program, const MessageStep& step, Values values) {
    const auto peer = peers_.find({program.where, step.direction});
    if (peer == peers_.end())
      throw std::runtime_error(program.where.str() + " has no direction " + step.direction);
    auto& queue = messages_[peer->second];
    if (queue.size() == static_cast<std::size_t>(cut_.n_slots)) return false;
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
  std::map<End, std::deque<Values>> messages_;  // by the receiving end
  std::uint64_t sent_ = 0;
  std::int64_t largest_message_ = 0;
};

}  // namespace kernbench::test
