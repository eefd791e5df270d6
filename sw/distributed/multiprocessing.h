// torch.multiprocessing: the ranks of a host program, each on its own thread (spec 7, ADR-0024).
//
//   torch.multiprocessing.spawn([&](int rank) {
//     torch.ahbm.set_device(rank);
//     torch.distributed.init_process_group("ahbm");
//     ...
//   }, torch.distributed.ranks_to_spawn());
//
// Rank = SIP, or with rank_unit pe a PE: a rank's default device is the one with its number.
#pragma once

#include <exception>
#include <functional>
#include <map>

#include "models/base/errors.h"
#include "sw/distributed/rank_count.h"

namespace kernbench {

struct DistributedState;
class Worker;  // sw/runtime

// Exceptions of the ranks of a spawn, by rank. Ranks that were ended only because of these are not
// listed.
class SpawnError : public Error {
 public:
  explicit SpawnError(std::map<int, std::exception_ptr> causes);

  const std::map<int, std::exception_ptr>& causes() const { return causes_; }
  bool wrong_usage() const { return exit_status() == exit_usage; }
  int exit_status() const override;  // usage or configuration status if all causes have it

 private:
  std::map<int, std::exception_ptr> causes_;
};

class Multiprocessing {
 public:
  explicit Multiprocessing(DistributedState& state) : state_(state) {}

  // Returns when the body has returned on all ranks and their launches have ended. If a body
  // throws, the other ranks are ended where they wait, the devices refuse further work
  // (DeviceLostError), and SpawnError holds all exceptions up to that time. UsageError: fewer than
  // one rank or more than the machine has, ranks that differ from a group that the program has
  // initialized, a spawn by a rank.
  void spawn(const std::function<void(int rank)>& body, RankCount ranks);
  // `nprocs` ranks of the unit that ccl.yaml sets.
  void spawn(const std::function<void(int rank)>& body, int nprocs);
  int ranks_at_most() const;  // SIPs, or with rank_unit pe PEs

 private:
  void run_ranks(const std::function<void(int)>& body, int nprocs, Worker* caller);

  DistributedState& state_;
};

}  // namespace kernbench
