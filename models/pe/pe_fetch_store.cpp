#include "models/pe/pe_fetch_store.h"

#include <algorithm>
#include <string>

#include "models/base/errors.h"

namespace kernbench {

ParameterSchema PeFetchStore::schema() {
  ParameterSchema schema = stage_schema("0");
  schema.push_back(
      Parameter::integer("register_file_bytes", "capacity of the register file", "B", "spec 1.2")
          .default_val(65536)
          .range("1", "1073741824"));
  return schema;
}

PeFetchStore::PeFetchStore(const ComponentInit& init)
    : StageEngine(init, {StageType::fetch, StageType::store}),
      capacity_(static_cast<std::uint64_t>(init.attributes.integer("register_file_bytes"))),
      used_signal_(add_signal("register_bytes", "register file in use", 32)) {
  add_statistic("register_bytes_high_water", "most of the register file in use", Quantity::bytes,
                used_high_water_, Merge::maximum);
  add_statistic("register_stalls", "fetches that waited for room in the register file",
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
  if (overhead() > 0) return expire_at(lane, now() + overhead());
  expired(lane);
}

void PeFetchStore::expired(Lane& lane) {  // the overhead has been paid
  const bool write = lane.stage().type == StageType::store;
  Uses<TcmAccess>::provider().access_tcm(write, lane.stage().bytes, *this, lane.index,
                                         lane.task->order());
}

void PeFetchStore::release(Lane& lane) {
  if (lane.stage().type == StageType::store) release_registers(lane.stage().register_bytes);
}

void PeFetchStore::release_registers(std::uint64_t bytes) {
  if (bytes > used_)
    throw ModelError(std::string(name()) + ": " + std::to_string(bytes) +
                     " register bytes given back, " + std::to_string(used_) + " in use");
  used_ -= bytes;
  used_signal_.set(used_);
  wake_engine();
}

void PeFetchStore::stepped() {
  if (fetch_stalled_) start(lane_of(StageType::fetch));
}

}  // namespace kernbench
