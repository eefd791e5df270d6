#include "models/pe/tile_buffer_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/base/errors.h"
#include "models/timing/tile_plan.h"

namespace kernbench {

FreeListAllocator& TileBufferPool::memory() {
  if (memory_ == nullptr) {
    const std::uint64_t reserve = machine_.machine().tcm_reserved_bytes;
    memory_ = std::make_unique<FreeListAllocator>(std::string(scheduler_.name()) + " tile buffers",
                                                  machine_.machine().tcm_bytes - reserve, reserve);
  }
  return *memory_;
}

void TileBufferPool::declare_signals(Observables to) {
  used_signal_ = &to.add_signal("tile_buffer_bytes", "tile buffers in use", SignalFormat::bytes());
  if (memory_ != nullptr) show_used();
}

void TileBufferPool::show_used() {
  if (used_signal_ != nullptr) used_signal_->set(memory().used_bytes());
}

void TileBufferPool::check_room(const TilePlan& plan) {
  const std::uint64_t bytes = plan.largest_buffer_bytes();
  if (bytes <= memory().size_bytes()) return;
  throw UsageError(
      fmt::format("{} needs {} bytes of tile buffers in TCM; allowed are {} (pe_tcm.reserved_kb); "
                  "choose a smaller one by .tile({{m, k, n}})",
                  plan.tile_text(), bytes, memory().size_bytes()));
}

tlm::tlm_sync_enum TileBufferPool::nb_transport_fw(BufferRequest& request,
                                                   tlm::tlm_phase& /*phase*/) {
  if (waiting_.empty() && take(*request.task)) return tlm::TLM_COMPLETED;
  ++stalls_;
  waiting_.push_back(&request);
  return tlm::TLM_ACCEPTED;
}

bool TileBufferPool::take(TileTask& task) {
  const std::uint64_t bytes = buffer_bytes(task.tile);
  if (bytes > memory().largest_free_bytes()) return false;
  task.buffer_address = memory().allocate(bytes);
  task.buffer_bytes = bytes;
  high_water_bytes_ = std::max(high_water_bytes_, memory().used_bytes());
  show_used();
  return true;
}

void TileBufferPool::serve() {
  while (!waiting_.empty() && take(*waiting_.front()->task)) {
    BufferRequest& served = *waiting_.front();
    waiting_.pop_front();
    served.respond(tlm::BEGIN_RESP);
  }
}

void TileBufferPool::free(TileTask& task) {
  if (task.buffer_bytes == 0) return;
  memory().free(task.buffer_address, task.buffer_bytes);
  task.buffer_bytes = 0;
  show_used();
}

}  // namespace kernbench
