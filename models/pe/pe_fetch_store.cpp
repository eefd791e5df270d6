#include "models/pe/pe_fetch_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/pe/pe_components.h"

namespace kernbench {

PeFetchStore::PeFetchStore(const ComponentInit& init)
    : StageEngine(init, PeEngine::pe_fetch_store, init.attributes.as<Parameters>().stage),
      capacity_(*init.attributes.as<Parameters>().register_file_bytes),
      used_signal_(add_signal("register_bytes", "register file in use", SignalFormat::bytes())) {
  add_statistic("register_bytes_high_water", "peak use of the register file", Quantity::bytes,
                used_high_water_, Merge::maximum);
  add_statistic("register_stalls", "fetches stalled for space in the register file",
                Quantity::count, stalls_);
}

void PeFetchStore::start(Lane& lane) {
  if (lane.stage().type == StageType::store) return access(lane);
  const std::uint64_t bytes = lane.stage().register_bytes;
  if (used_ + bytes > capacity_) {
    if (!fetch_stalled_) ++stalls_;
    fetch_stalled_ = true;
    return;
  }
  fetch_stalled_ = false;
  used_ += bytes;
  used_high_water_ = std::max(used_high_water_, used_);
  used_signal_.set(used_);
  access(lane);
}

void PeFetchStore::access(Lane& lane) {
  const Fs setup = setup_time(lane.stage());
  if (setup > 0) return expire_at(lane, now() + setup);
  expired(lane);
}

void PeFetchStore::expired(Lane& lane) {  // the overhead has been paid
  TcmRequest& request = requests_[lane.index];
  request.write = lane.stage().type == StageType::store;
  request.bytes = lane.stage().bytes;
  request.order = lane.task->order();
  request.tag = lane.index;
  to_tcm_.nb_transport_fw(request);
}

void PeFetchStore::release(Lane& lane) {
  if (lane.stage().type == StageType::store) release_registers(lane.stage().register_bytes);
}

void PeFetchStore::release_registers(std::uint64_t bytes) {
  if (bytes > used_)
    throw ModelError(
        fmt::format("{}: {} register bytes released, {} in use", name(), bytes, used_));
  used_ -= bytes;
  used_signal_.set(used_);
  wake_engine();
}

void PeFetchStore::stepped() {
  if (fetch_stalled_) start(lane_of(StageType::fetch));
}

Implementation pe_fetch_store_implementation() {
  return implementation_of<PeFetchStore>("builtin.pe_fetch_store");
}

}  // namespace kernbench
