// torch.ipcq: the ring buffers between PEs (spec 7, 8.1): reserved on the device, installed by
// messages that take simulated time.
//
//   torch.ipcq.install(graphs::intra_pe_ring(this_device, 0, 8));  // rings of 4 slots of 4 KiB
//   IpcqSettings options;
//   options.buffer_kind = MemorySpace::hbm;
//   options.slot_size = 1 << 20;
//   torch.ipcq.install(graph, options);
//
// One installation serves the whole machine. A second one replaces the first. A graph of
// this_device keeps the rings within other SIPs, so that copies of a program on several devices
// keep theirs.
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

// Receive ring of a PE's direction.
struct IpcqRing {
  QueuePairEnd end;
  std::uint64_t base = 0;  // physical
  std::uint64_t nbytes = 0;
};

class IpcqInstallation {
 public:
  IpcqInstallation(HostLink& link, DeviceMemory& memory) : link_(link), memory_(memory) {}

  // Blocks until every PE of the graph has its queue pairs. All or none are installed: every PE is
  // queried first. UsageError: a direction without a return direction, an unknown PE;
  // AllocationError: the rings do not fit; LaunchError of code "ipcq_busy": existing rings hold
  // messages that have not been received, or await credits. After any error the previous
  // installation is unchanged.
  void install(const NeighbourGraph& graph, const IpcqSettings& options);
  // Installation for one SIP. Queue pairs within other SIPs are kept if the graph is within this
  // SIP, the options are equal and no launch has failed.
  void install_on(int sip, const NeighbourGraph& graph, const IpcqSettings& options);
  // Adds the queue pairs of `graph` to the existing ones, regardless of what these hold; with the
  // same options, except rings of `n_slots` slots if it is set. Returns false without effect if it
  // is not a pure addition: nothing is installed, a direction already leads to a different peer or
  // would be paired differently, or a launch has failed. Errors as in install(), except
  // "ipcq_busy".
  bool add(const NeighbourGraph& graph, std::optional<std::uint32_t> n_slots = {});
  // Removes the rings and frees their memory. LaunchError as in install().
  void remove();
  // Removes directions whose names begin with `prefix`, regardless of what the others hold.
  void remove(const std::string& prefix);

  // A launch has failed: its remaining messages are lost, and the next installation ignores them.
  void launch_failed() { launch_failed_ = installed(); }

  bool installed() const { return !rings_.empty(); }
  std::uint64_t number() const { return number_; }  // changes with each install() and remove()
  const NeighbourGraph& graph() const { return graph_; }
  const IpcqSettings& options() const { return options_; }
  const std::vector<IpcqRing>& rings() const { return rings_; }  // by (PE, direction)

 private:
  std::vector<IpcqRing> reserve(const std::vector<QueuePairEnd>& ends, const IpcqSettings& options,
                                const std::vector<IpcqRing>& others = {});
  void give_back(const std::vector<IpcqRing>& rings, const IpcqSettings& options);
  // Replaces all rings except `kept`.
  void replace(const NeighbourGraph& graph, const IpcqSettings& options,
               std::vector<IpcqRing> rings, const std::vector<IpcqRing>& kept = {});
  bool keeps_others(int sip, const NeighbourGraph& graph, const IpcqSettings& options) const;
  // Sends the message to the PEs of `targets`, which install or remove `rings`.
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
  std::uint64_t number_ = 0;  // number of installations
  bool launch_failed_ = false;
  class Turn;  // serialises calls of several threads, each of which takes simulated time
  bool busy_ = false;
  sc_core::sc_event turn_ended_{""};
};

}  // namespace kernbench
