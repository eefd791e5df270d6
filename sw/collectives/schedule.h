// Schedule of a PE in a collective, as data: made by pure functions (ring_schedules.h,
// tree_schedules.h, mesh_schedules.h), carried out by run_schedule().
//
// The data of a PE are numbered blocks. A step moves or combines a whole block; how blocks are cut
// into messages is not its concern.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kernbench {

struct Step {
  enum class Kind : std::uint8_t {
    send,     // the block as it is
    pass_on,  // what came for the block last, as it came
    receive,  // the block becomes what comes
    reduce,   // the block is combined with what comes
    add,      // what comes is added to it, whatever the reduction: partial sums
    finish,   // the block is complete: an average is divided here
  };
  Kind kind = Kind::send;
  std::string direction;  // none for finish
  int block = 0;
};

// Steps that are carried out message by message: the first message of every step, then the second
// of every step, and so on, so that what comes is passed on while the rest is still under way. The
// sends that a phase opens with run ahead of what follows them.
using Phase = std::vector<Step>;
using Schedule = std::vector<Phase>;

inline bool sends(const Step& step) {
  return step.kind == Step::Kind::send || step.kind == Step::Kind::pass_on;
}
inline bool takes(const Step& step) {
  return step.kind == Step::Kind::receive || step.kind == Step::Kind::reduce ||
         step.kind == Step::Kind::add;
}

namespace schedules {

inline Step send(std::string direction, int block = 0) {
  return {Step::Kind::send, std::move(direction), block};
}
inline Step pass_on(std::string direction, int block = 0) {
  return {Step::Kind::pass_on, std::move(direction), block};
}
inline Step receive(std::string direction, int block = 0) {
  return {Step::Kind::receive, std::move(direction), block};
}
inline Step reduce(std::string direction, int block = 0) {
  return {Step::Kind::reduce, std::move(direction), block};
}
inline Step add(std::string direction, int block = 0) {
  return {Step::Kind::add, std::move(direction), block};
}
inline Step finish(int block = 0) { return {Step::Kind::finish, "", block}; }

void append(Schedule& schedule, Schedule more);
// The same with `prefix` before the name of each direction.
Schedule with_prefix(const std::string& prefix, Schedule schedule);

}  // namespace schedules

// A step for one message: chunk `chunk` of its block.
struct MessageStep {
  // load, expect: of the pipelined order only (pipeline.h), the beginnings of a load and a receive.
  enum class Kind : std::uint8_t {
    send,
    pass_on,
    receive,
    reduce,
    add,
    finish,
    store,
    load,
    expect
  };
  Kind kind = Kind::send;
  std::string direction;
  int block = 0;
  int chunk = 0;
  bool last = false;       // no later step uses the value that this one finds
  bool passed_on = false;  // what comes is passed on later, as it came
};

// The schedule with every block cut into `chunks` messages, in the order in which a PE carries them
// out. Sends run ahead of the messages that a phase takes by at most `window`, which is not more
// than the slots of a ring: then no ring of PEs fills all its slots with messages that no PE takes.
// A chunk is stored as soon as no later phase changes it; blocks that no step changes come last.
// Blocks are numbered below `blocks`.
std::vector<MessageStep> unroll(const Schedule& schedule, int blocks, int chunks, int window);

}  // namespace kernbench
