// torch.ipcq: the ring buffers between PEs (spec 7, 8.1): reserved on the device, installed by
// messages that take simulated time.
//
//   torch.ipcq.install(graphs::intra_pe_ring(this_device, 0, 8));  // rings of 4 slots of 4 KiB
//   IpcqSettings options;
//   options.buffer_kind = MemorySpace::hbm;
//   options.slot_size = 1 << 20;
//   torch.ipcq.install(graph, options);
//
// One installation serves the whole machine. A second one replaces the first; but one of
// this_device leaves what stands within other SIPs, so that copies of a program on several devices
// have theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "models/protocol/ipcq.h"
#include "sw/collectives/neighbour_graph.h"
#include "sw/runtime/host_link.h"

namespace kernbench {

class DeviceMemory;

// A receive ring: that of a direction of a PE.
struct IpcqRing {
  QueuePairEnd end;
  std::uint64_t base = 0;  // physical
  std::uint64_t nbytes = 0;
};

class IpcqInstallation {
 public:
  IpcqInstallation(HostLink& link, DeviceMemory& memory) : link_(link), memory_(memory) {}

  // Blocks until every PE of the graph has its queue pairs, all of them or none: every PE is
  // queried first. UsageError: directions that nothing leads back to, an unknown PE;
  // AllocationError: the rings do not fit; LaunchError of code "ipcq_busy": existing rings hold
  // messages that have not been received, or await credits. After any of them what was installed
  // before is still there.
  void install(const NeighbourGraph& graph, const IpcqSettings& options);
  // The same for one SIP: queue pairs within others stay where the graph is within this one, the
  // options are the same and no launch has failed.
  void install_on(int sip, const NeighbourGraph& graph, const IpcqSettings& options);
  // Adds the queue pairs of `graph` beside those that are there, whatever these hold; with the same
  // options, but with rings of `n_slots` slots if it is given. False, and nothing has happened, if
  // that would be no addition: nothing is installed, a direction leads to another peer already or
  // would be joined with another one, or a launch has failed. Errors as for install(), but for
  // "ipcq_busy".
  bool add(const NeighbourGraph& graph, std::optional<std::uint32_t> n_slots = {});
  // Takes the rings away and gives their memory back. LaunchError as for install().
  void remove();
  // The same for directions whose names begin with `prefix`, whatever the others hold.
  void remove(const std::string& prefix);

  // A launch has failed: its messages left in the queues are lost, and the next installation
  // ignores them.
  void launch_failed() { launch_failed_ = installed(); }

  bool installed() const { return !rings_.empty(); }
  std::uint64_t number() const { return number_; }  // another one after each install() and remove()
  const NeighbourGraph& graph() const { return graph_; }
  const IpcqSettings& options() const { return options_; }
  const std::vector<IpcqRing>& rings() const { return rings_; }  // by (PE, direction)

 private:
  std::vector<IpcqRing> reserve(const std::vector<QueuePairEnd>& ends, const IpcqSettings& options,
                                const std::vector<IpcqRing>& others = {});
  void give_back(const std::vector<IpcqRing>& rings, const IpcqSettings& options);
  // But for those of `kept`, which stay.
  void replace(const NeighbourGraph& graph, const IpcqSettings& options,
               std::vector<IpcqRing> rings, const std::vector<IpcqRing>& kept = {});
  bool keeps_others(int sip, const NeighbourGraph& graph, const IpcqSettings& options) const;
  // To the PEs of `targets`, which get or lose `rings`.
  void send(IpcqInstall::Action action, IpcqInstall::Change change,
            const std::vector<const std::vector<IpcqRing>*>& targets,
            const std::vector<IpcqRing>& rings, const IpcqSettings& options) const;
  // Memory used by the rings of a PE, by group, for error messages.
  std::string text_of_rings(PeId pe) const;

  HostLink& link_;
  DeviceMemory& memory_;
  NeighbourGraph graph_;
  IpcqSettings options_;
  std::vector<IpcqRing> rings_;
  std::uint64_t number_ = 0;  // of installations
  bool launch_failed_ = false;
  class Turn;  // calls of several threads follow each other: each takes time
  bool busy_ = false;
  sc_core::sc_event turn_ended_{""};
};

}  // namespace kernbench
