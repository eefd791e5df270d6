// RaceDetector: finds unordered accesses to the same bytes, one of them a write (`--check-races`,
// spec 9).
//
// Agents are the streams of the PEs, the commands of a kernel that have not been waited for, and
// the threads of the host program. Two agents are ordered (happens-before, kept in vector clocks)
// by:
//   launch      the host's thread at the launch -> the kernels; the kernels -> the thread that has
//               waited for it; launches of a stream with a PE in common run sequentially, after
//               the launches that they have to follow
//   message     a send -> its receive has ended; a receive -> the send that uses its slot again has
//               ended (the rule of buffered channels in Go's memory model)
//   command     its issue -> the command -> the wait for it
//   barrier     of the PEs of a launch and of ranks; spawn and end of ranks
//   atomic      everything before the access -> everything after later accesses that its memory
//               serves at the same element (acquire and release, Triton's default)
//
// An access is noted once per call, at its issue (an atomic one when its memory serves it),
// whatever its timing: two accesses that are not ordered are a race even if they are far apart in
// this run. Not detected: accesses of external TLM-2.0 modules and the ring buffers themselves.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/data/access_history.h"

namespace kernbench {

// A launch on one SIP, from one thread of the host.
struct OrderedLaunch {
  std::string request;  // id
  VectorClock start, end;
  std::vector<std::shared_ptr<const OrderedLaunch>> follows;  // until it has started
  std::vector<std::uint32_t> pes;                             // PEs, by their names' numbers
  bool started = false;
};

// Races of one kind: between the same two calls, on the same tensor.
struct Race {
  MemoryAccessPtr earlier, later;  // first pair; in the order of the simulation
  std::string place;               // place of its first byte: "'out' + 128"
  std::uint64_t nbytes = 0;        // bytes of the first pair
  std::uint64_t pairs = 1;
  std::string text() const;
};

class RaceDetector {
 public:
  using Agent = std::uint32_t;
  static constexpr std::size_t most_kinds = 100;  // kinds that are listed

  // --- agents
  Agent add_agent(std::string who);              // "the host", "rank 2 of the host"
  Agent fork(Agent parent);                      // a command is issued
  void join(Agent parent, Agent child);          // after a wait for the child
  void release(Agent agent, VectorClock& into);  // publishes the agent's history
  void acquire(Agent agent, const VectorClock& from);

  // --- launches; a PE is named by the number of its PE_CPU
  std::shared_ptr<OrderedLaunch> launched(Agent host, const std::string& request,
                                          std::vector<std::uint32_t> pes);
  // `call`: released by the host's thread when it has called; `follows`: of these the ones with a
  // PE in common.
  std::shared_ptr<OrderedLaunch> launched(
      const VectorClock& call, const std::string& request, std::vector<std::uint32_t> pes,
      std::vector<std::shared_ptr<const OrderedLaunch>> follows);
  Agent kernel_begins(std::uint32_t pe, const std::string& request, std::string who,
                      std::uint32_t stream = 0);
  // A kernel of several programs starts and ends with each of them.
  void kernel_ends(std::uint32_t pe, const std::string& request, std::uint32_t stream = 0);
  // Called when all of its kernels have ended.
  void joined(Agent host, const OrderedLaunch& launch);

  // --- messages: a send or a receive of the agent through a slot of a ring
  void passes_slot(Agent agent, std::uint64_t installation, std::uint64_t slot);

  // --- tl.barrier: the history of a program of the launch before its n-th barrier is known to all
  // programs
  // after theirs
  void reaches_barrier(Agent agent, const std::string& launch, std::uint64_t n);
  void passes_barrier(Agent agent, const std::string& launch, std::uint64_t n);

  // --- accesses
  struct Call {
    std::string name;  // "tl.load"
    CallSite site;
    Fs time = 0;
  };
  void note(Agent agent, Call call, const PhysRanges& ranges, bool is_write);
  // Elements at these addresses, in the order in which the memory serves them.
  void note_atomic(Agent agent, Call call, const std::vector<std::uint64_t>& elements,
                   std::uint64_t element_bytes);

  // --- names of places; a new tensor's bytes have no history
  void add_tensor(std::uint64_t pa, std::uint64_t nbytes, const std::string& name,
                  std::uint64_t offset);
  void remove_tensor(std::uint64_t pa) { tensors_.erase(pa); }

  // --- results
  const std::vector<Race>& races() const { return races_; }  // in order of their first pair
  std::uint64_t pairs() const { return pairs_; }             // pairs of all races

 private:
  struct State {
    VectorClock clock;
    std::uint32_t epoch = 0;  // its own entry in the clock
    std::shared_ptr<const std::string> who;
    std::vector<Agent> free;  // children that have been joined
  };
  struct TensorPlace {
    std::uint64_t nbytes = 0;
    std::string name;
    std::uint64_t offset = 0;  // offset of the block in the tensor
  };
  using PeStream = std::pair<std::uint32_t, std::uint32_t>;
  Agent agent_of(const PeStream& kernel);
  void advance(Agent agent);
  std::string place_of(std::uint64_t pa) const;
  void add(Agent agent, Call call, const PhysRanges& ranges, bool is_write, bool is_atomic);
  void report(const Conflict& conflict, const MemoryAccessPtr& later);

  std::vector<State> agents_;
  std::map<PeStream, Agent> kernels_;
  std::map<std::string, std::shared_ptr<OrderedLaunch>> launches_;  // not joined, by request id
  std::map<PeStream, std::shared_ptr<OrderedLaunch>> latest_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, VectorClock> slots_;   // installation, address
  std::map<std::pair<std::string, std::uint64_t>, VectorClock> barriers_;  // launch, n
  std::map<std::uint64_t, VectorClock> atomics_;  // by address of an element
  std::map<std::uint64_t, TensorPlace> tensors_;  // by address of a block
  AccessHistory history_;
  std::vector<Race> races_;
  std::uint64_t pairs_ = 0;
};

}  // namespace kernbench
