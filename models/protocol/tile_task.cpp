#include "models/protocol/tile_task.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/protocol/task_operands.h"

namespace kernbench {
namespace {

struct StageInfo {
  const char* name;
  const char* op_log_name;
};

constexpr std::array<StageInfo, stage_type_count> stage_table{{
    {"DMA_READ", "tile/DMA_READ"},
    {"FETCH", "tile/FETCH"},
    {"GEMM", "tile/GEMM"},
    {"MATH", "tile/MATH"},
    {"STORE", "tile/STORE"},
    {"DMA_WRITE", "tile/DMA_WRITE"},
}};

const StageInfo& info(StageType stage) { return stage_table[static_cast<std::size_t>(stage)]; }

}  // namespace

const char* name_of(StageType stage) { return info(stage).name; }
const char* op_log_name_of(StageType stage) { return info(stage).op_log_name; }

void Tile::add(const Stage& stage) {
  if (size() == max_stages)
    throw ModelError(fmt::format("a tile has more than {} stages", max_stages));
  stages_.push_back(stage);
}

AddressRuns TileTask::runs_of_stage() const {
  if (runs != nullptr) return *runs;
  return block_runs(operands->block(tile, stage()));
}

std::uint64_t TileTask::run_count() const {
  if (!stage().strided) return 1;
  return runs != nullptr ? runs->size() : block_runs(operands->block(tile, stage())).size();
}

}  // namespace kernbench
