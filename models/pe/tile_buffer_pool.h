// Tile buffers of a PE: the part of its TCM that no kernel sees (spec 5). A tile allocates
// contiguous room for its unpinned operands and its result at its first DMA_READ; it is freed when
// the tile's DMA_WRITE, or without one its FETCH, has ended. Tiles that find no room wait in order
// of arrival.
//
// Timing: none of its own; a stalled tile proceeds when the scheduler next calls serve().
#pragma once

#include <deque>
#include <memory>

#include "models/address/free_list_allocator.h"
#include "models/base/component.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench {

class TilePlan;

class TileBufferPool final : private ServiceProvider<BufferRequest> {
 public:
  TileBufferPool(Component& scheduler, MachineServices& machine)
      : scheduler_(scheduler), machine_(machine) {}

  // UsageError: a tile of a plan needs more than the whole pool.
  void check_room(const TilePlan& plan);

  // Allocates without waiting; returns false if there is no room.
  bool take(TileTask& task);
  // Grants queued requests as far as there is room.
  void serve();
  void free(TileTask& task);

  const std::uint64_t& stalls() const { return stalls_; }
  const std::uint64_t& high_water_bytes() const { return high_water_bytes_; }
  void declare_signals(Observables to);

 private:
  tlm::tlm_sync_enum nb_transport_fw(BufferRequest& request, tlm::tlm_phase& phase) override;
  FreeListAllocator& memory();
  void show_used();

  Component& scheduler_;
  MachineServices& machine_;
  TraceSignal* used_signal_ = nullptr;  // null until requested
  std::unique_ptr<FreeListAllocator>
      memory_;  // made on first use: the machine's numbers are not known while it is built
  std::deque<BufferRequest*> waiting_;
  std::uint64_t stalls_ = 0, high_water_bytes_ = 0;
  ServiceTarget<BufferRequest> requests_{scheduler_, *this};
};

}  // namespace kernbench
