// The protocol inside the fabric: every directed edge is a pair of TLM-2.0 sockets whose forward
// call announces a future arrival.
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include "models/base/units.h"
#include "models/protocol/flit_run.h"
#include "models/protocol/machine_sockets.h"
#include "models/protocol/transaction.h"

namespace kernbench {

class FabricForward;

// Route of host control messages between two nodes whose links and intermediate nodes only delay a
// message (spec 2.3): the counterpart of a direct memory pointer of TLM-2.0.
struct DirectRoute {
  FabricForward* target = nullptr;  // input of the target; null: there is no such route
  Fs delay = 0;                     // from the source to it, without an overhead of the target
  std::uint64_t messages = 0;       // messages that have used it
};

// Direct routes across a link or a node.
class DirectRoutes {
 public:
  // The route lives as long as the simulation.
  void add(const DirectRoute& route) { routes_.push_back(&route); }
  std::uint64_t messages() const {
    std::uint64_t sum = 0;
    for (const DirectRoute* route : routes_) sum += route->messages;
    return sum;
  }

 private:
  std::vector<const DirectRoute*> routes_;
};

// Error for a call of the base protocol, which no edge of the fabric uses.
[[noreturn]] void not_inside_the_fabric(const char* call);
// Error for a run of flits where single flits are accepted.
[[noreturn]] void not_taken(const char* call);

class FabricForward : public tlm::tlm_fw_transport_if<> {
 public:
  // The run reaches this end at `arrival`, which is not in the past. Called before that instant
  // begins, and in the order of arrival per edge and virtual channel (host control messages: in any
  // order). Never waits. The transaction stays alive until its owner's completion callback.
  virtual void accept(Transaction& transaction, FlitRun run, Fs arrival) = 0;
  // Runs of several flits (spec 2.11). False: only accept() is called, flit by flit.
  virtual bool takes_runs() const { return false; }
  // Announces run.count flits: the i-th of them reaches this end at arrival + i * spacing. The
  // sender may withdraw those that it has not yet handed over.
  virtual void accept_run(Transaction& /*transaction*/, FlitRun /*run*/, Fs /*arrival*/,
                          Fs /*spacing*/) {
    not_taken("accept_run");
  }
  // Withdraws the flits of `transaction` from `flit` on: the last ones announced at this end, and
  // none of them has reached it. `position`: as in their run.
  virtual void recall(Transaction& /*transaction*/, std::uint32_t /*position*/,
                      std::uint32_t /*flit*/) {
    not_taken("recall");
  }
  // Completes `route` from here, `position` of the path, to its target; it stays where it is.
  // False: host control messages are to be handed over here, each of them, and `route` is void.
  virtual bool get_direct_route(const Path& /*path*/, std::uint32_t /*position*/,
                                DirectRoute& /*route*/) {
    return false;
  }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) final {
    not_inside_the_fabric("nb_transport_fw");
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) final {
    not_inside_the_fabric("b_transport");
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) final { return false; }
};

class FabricBackward : public tlm::tlm_bw_transport_if<> {
 public:
  // `flits` places of a virtual channel at the receiver are free again at `at`, which is now or
  // later (only with finite buffers, spec 2.10). Never waits.
  virtual void credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) = 0;

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) final {
    not_inside_the_fabric("nb_transport_bw");
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) final {}
};

using FabricInitiatorSocket = MachineInitiatorSocket<FabricForward, FabricBackward>;
using FabricTargetSocket = MachineTargetSocket<FabricForward, FabricBackward>;

}  // namespace kernbench
