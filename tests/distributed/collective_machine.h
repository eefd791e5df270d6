// A machine of several SIPs, small enough for many collectives in one test. Inside a forked child:
//
//   IpcqMachine m("topology.tiny.yaml", sips("ring_1d", 3));
//   m.run([&](Torch& torch) {
//     on_ranks(torch, {{"algorithm", "ring_allreduce"}}, [&](int rank) { ... });
//   });
//   BOOST_TEST(m.failures() == "");
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/collectives/algorithm_registry.h"
#include "tests/pe/ipcq_machine.h"
#include "tests/support/forked.h"

namespace kernbench::test {

// SIPs of one cube each, or of mesh_w x mesh_h.
inline std::vector<Override> sips(const std::string& topology, int w, int h = 1, int mesh_w = 1,
                                  int mesh_h = 1) {
  return {
      {"system.sips.count", std::to_string(w * h)}, {"system.sips.topology", topology},
      {"system.sips.w", std::to_string(w)},         {"system.sips.h", std::to_string(h)},
      {"sip.cube_mesh.w", std::to_string(mesh_w)},  {"sip.cube_mesh.h", std::to_string(mesh_h)}};
}

// As a ccl.yaml with rank_unit pe would have it.
inline void ranks_are_pes(DistributedState& distributed, const std::string& algorithm,
                          std::int64_t world_size) {
  CclFile file;
  file.algorithm = algorithm;
  file.defaults.set("rank_unit", std::string("pe"));
  file.defaults.set("world_size", world_size);
  distributed.configure(file, std::make_shared<const AlgorithmRegistry>(shipped_algorithms()));
}

// The body on every rank of a process group of its own: on all devices, or on some.
inline void on_ranks(Torch& torch, const CclChanges& changes, int ranks,
                     const std::function<void(int rank)>& body) {
  torch.multiprocessing.spawn(
      [&](int rank) {
        torch.ahbm.set_device(rank);
        torch.distributed.init_process_group("ahbm", changes);
        body(rank);
      },
      ranks);
}
inline void on_ranks(Torch& torch, const CclChanges& changes,
                     const std::function<void(int rank)>& body) {
  on_ranks(torch, changes, torch.ahbm.device_count(), body);
}

}  // namespace kernbench::test
