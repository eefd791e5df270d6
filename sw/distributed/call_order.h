// CallOrder: matching of the collective calls of the ranks. Collectives have no names: the n-th
// call of one rank belongs to the n-th call of every other rank. Ranks that call different things,
// or end while other ranks wait for them, get an error instead of blocking forever.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/data/vector_clock.h"
#include "sw/distributed/collective_record.h"

namespace kernbench {

struct CollectiveAlgorithm;
class ProcessGroup;

// Part of one rank in a collective, or in one of several coalesced collectives.
struct CollectiveStep {
  CollectiveCall call;
  const CollectiveAlgorithm* algorithm = nullptr;         // null: no data to move
  std::vector<std::int64_t> input_splits, output_splits;  // as in GroupCall

  bool moves_nothing() const;
};

// One call of all ranks.
struct OrderedCall {
  std::string what;  // "all_reduce sum of f16, 16 shards of 8 elements on pe 0 of cubes ..."; has
                     // to be equal on all ranks
  int first = 0;     // rank that called first
  std::uint64_t group = 0;  // launch group
  std::shared_ptr<CollectiveRecord> record;
  // Ranks that have called, in order of their calls; all begin when the last rank has called.
  struct Part {
    std::shared_ptr<Worker> worker;
    LaunchHandle launch;
    LaunchSpec spec;
    std::vector<CollectiveStep> steps;
  };
  std::vector<Part> parts;
  // Rendezvous of the ranks.
  std::vector<int> reached;  // ranks that have called
  int met = 0;
  bool open = false;
  sc_core::sc_event opened{""};
  std::exception_ptr refused;          // error for all waiting ranks
  VectorClock passed;                  // clock of a barrier, for race detection
  std::shared_ptr<ProcessGroup> made;  // result of new_group

  // The ranks that have already called get the error, too.
  void refuse(const std::exception_ptr& error);
};

class CallOrder {
 public:
  // Matches calls of `ranks`. For messages, `counted` names a call and `of` the set of calls,
  // "group 1 (ranks 0, 2)"; an empty `of`: all calls.
  CallOrder(const std::vector<int>& ranks, std::string counted, const std::string& of = "");

  // Joins the next call of `rank`. UsageError: another rank has made a different call, or has
  // ended.
  OrderedCall& join(int rank, const std::string& what);
  // `rank` makes no more calls: it `has` ended. UsageError if other ranks wait for it.
  void end(int rank, const std::string& has = "has ended");
  // Text of a call that another rank has made and `rank` has not; else "".
  std::string ahead_of(int rank) const;

 private:
  struct Rank {
    std::size_t reached = 0;  // number of calls
    std::string has;          // "has ended"; empty: still running
  };
  std::string nth(std::size_t index) const {
    return fmt::format("{} {}{}", counted_, index + 1, of_);
  }

  std::map<int, Rank> ranks_;
  std::string counted_, of_;
  std::vector<std::unique_ptr<OrderedCall>> calls_;  // first call first
};

}  // namespace kernbench
