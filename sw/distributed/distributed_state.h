// State of torch.distributed and torch.multiprocessing for a run, in addition to the Runtime on
// which both work.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/collectives/ccl_settings.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/runtime.h"

namespace kernbench {

class DefaultGroup;
struct CollectiveRecord;

struct DistributedState {
  explicit DistributedState(Runtime& of);
  ~DistributedState();
  DistributedState(const DistributedState&) = delete;
  DistributedState& operator=(const DistributedState&) = delete;

  // Called before the program runs. Without it all settings have their defaults. `algorithms`: null
  // for the shipped ones. UsageError for settings that the algorithm does not have.
  void configure(CclFile file, std::shared_ptr<const AlgorithmRegistry> algorithms);

  // Resets `group` after its last rank has left.
  void end_group_if_over();

  Runtime& runtime;
  CclFile ccl;
  std::shared_ptr<const AlgorithmRegistry> algorithms;
  RankUnit rank_unit = RankUnit::sip;  // unit of the current spawn; else that of ccl.yaml
  int spawned = 0;                     // ranks of the current spawn

  std::shared_ptr<DefaultGroup> group;
  GroupInstallation installation;
  bool group_starts = false;  // rings are being installed
  sc_core::sc_event group_started{""};
  sc_core::sc_event group_ended{""};
  std::vector<std::shared_ptr<const CollectiveRecord>>
      collectives;  // in order of their first rank's call
};

}  // namespace kernbench
