// Schedule of a PE in a collective, as data: computed by pure functions (ring_schedules.h,
// tree_schedules.h, mesh_schedules.h), executed by run_schedule().
//
// The data of a PE are numbered blocks. A step moves or combines a whole block; the cut into
// messages is independent of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kernbench {

struct Step {
  enum class Kind : std::uint8_t {
    send,     // sends the block
    pass_on,  // sends the last message for the block, unchanged
    receive,  // replaces the block by the message
    reduce,   // combines the block with the message
    add,      // adds the message regardless of the reduction: partial sums
    finish,   // the block is complete: an average is divided here
  };
  Kind kind = Kind::send;
  std::string direction;  // none for finish
  int block = 0;
};

// Steps executed message by message: the first message of every step, then the second of every
// step, and so on, so that a message is passed on while the remaining ones are in flight. The
// opening sends of a phase run ahead of the steps after them.
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
// Schedule with `prefix` added to the name of each direction.
Schedule with_prefix(const std::string& prefix, Schedule schedule);

}  // namespace schedules

// Step for one message: chunk `chunk` of its block.
struct MessageStep {
  // load, expect: only in the pipelined order (pipeline.h), starts of a load and a receive.
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
  bool last = false;       // no later step uses the value before this step
  bool passed_on = false;  // the message is passed on later, unchanged
};

// The schedule with every block cut into `chunks` messages, in execution order of a PE. Sends run
// ahead of the receives of a phase by at most `window`, which is not more than the slots of a ring:
// then no ring of PEs fills all its slots with messages that no PE receives. A chunk is stored as
// soon as no later phase changes it; blocks that no step changes are last. Blocks are numbered
// below `blocks`.
std::vector<MessageStep> unroll(const Schedule& schedule, int blocks, int chunks, int window);

}  // namespace kernbench
