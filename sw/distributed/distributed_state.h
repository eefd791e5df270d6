// What torch.distributed and torch.multiprocessing keep for a run: part of Runtime.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/collectives/ccl_settings.h"

namespace kernbench {

class ProcessGroup;
struct CollectiveRecord;

struct DistributedState {
  DistributedState();
  ~DistributedState();

  // Before the program runs. UsageError for settings that the algorithm does not have. Without:
  // every default. `algorithms`: null for the shipped ones.
  void configure(CclFile file, std::shared_ptr<const AlgorithmRegistry> algorithms);

  CclFile ccl;
  std::shared_ptr<const AlgorithmRegistry> algorithms;
  RankUnit rank_unit = RankUnit::sip;  // of the spawn under way; before and after, as ccl.yaml says
  int spawned = 0;                     // ranks of the spawn under way

  std::shared_ptr<ProcessGroup> group;
  bool group_starts = false;  // its rings are being installed
  sc_core::sc_event group_started{""};
  std::vector<std::shared_ptr<const CollectiveRecord>>
      collectives;  // in order of their first rank's call
};

}  // namespace kernbench
