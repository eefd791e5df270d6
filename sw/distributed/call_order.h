// CallOrder: matching of the collective calls of the ranks. Collectives have no names: the n-th
// call of one rank belongs to the n-th of every other one. Ranks that call different things, or end
// while others wait for them, get an error instead of waiting for ever.
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

// One rank's part of a collective, or of one of those that are coalesced.
struct CollectiveStep {
  CollectiveCall call;
  const CollectiveAlgorithm* algorithm = nullptr;         // null: there is nothing to move
  std::vector<std::int64_t> input_splits, output_splits;  // as of GroupCall

  bool moves_nothing() const;
};

// One call of all ranks.
struct OrderedCall {
  std::string what;  // "all_reduce sum of f16, 16 shards of 8 elements on pe 0 of cubes ..."; has
                     // to be the same everywhere
  int first = 0;     // the rank that came first
  std::uint64_t group = 0;  // of its launches
  std::shared_ptr<CollectiveRecord> record;
  // Of the ranks that have called, in that order; all begin when the last one has.
  struct Part {
    std::shared_ptr<Worker> worker;
    LaunchHandle launch;
    LaunchSpec spec;
    std::vector<CollectiveStep> steps;
  };
  std::vector<Part> parts;
  // Where ranks wait for one another.
  std::vector<int> reached;  // ranks that have called
  int met = 0;
  bool open = false;
  sc_core::sc_event opened{""};
  std::exception_ptr refused;          // for all ranks that wait
  VectorClock passed;                  // of a barrier: for the detection of races
  std::shared_ptr<ProcessGroup> made;  // of new_group

  // The ranks that have called get the error, too.
  void refuse(const std::exception_ptr& error);
};

class CallOrder {
 public:
  // Of these ranks. For messages, `counted`: what a call is; `of`: which calls, "group 1 (ranks 0,
  // 2)"; empty: all.
  CallOrder(const std::vector<int>& ranks, std::string counted, const std::string& of = "");

  // The next call of `rank`. UsageError: another rank has called something else, or has ended.
  OrderedCall& join(int rank, const std::string& what);
  // `rank` calls nothing any more: it `has` ended. UsageError if others wait for it.
  void end(int rank, const std::string& has = "has ended");
  // Some rank is in a call that `rank` has not joined: its text, else "".
  std::string ahead_of(int rank) const;

 private:
  struct Rank {
    std::size_t reached = 0;  // calls
    std::string has;          // "has ended"; empty: it goes on
  };
  std::string nth(std::size_t index) const {
    return fmt::format("{} {}{}", counted_, index + 1, of_);
  }

  std::map<int, Rank> ranks_;
  std::string counted_, of_;
  std::vector<std::unique_ptr<OrderedCall>> calls_;  // from the first one on
};

}  // namespace kernbench
