#include "models/pe/lane_signals.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "models/address/virtual_space.h"
#include "models/protocol/task_operands.h"

namespace kernbench {
namespace {

TraceSignal& add_extent(Observables& to, const std::string& name, const char* description) {
  return to.add_signal(name, description, SignalFormat::count("elements", 32));
}

// "idle", the stage types, then the operations of a math stage.
const SignalFormat::Labels& stage_labels() {
  static const auto labels = [] {
    std::vector<std::string> names{"idle"};
    for (int type = 0; type < stage_type_count; ++type)
      names.emplace_back(name_of(static_cast<StageType>(type)));
    for (int op = 0; op < math_op_count; ++op) names.emplace_back(name_of(static_cast<MathOp>(op)));
    return std::make_shared<const std::vector<std::string>>(std::move(names));
  }();
  return labels;
}

std::uint64_t label_of(const Stage& stage) {
  return stage.type == StageType::math ? 1 + stage_type_count + static_cast<int>(stage.math_op)
                                       : 1 + static_cast<int>(stage.type);
}

}  // namespace

LaneSignals::LaneSignals(Observables to, const std::string& stage, const std::string& number)
    : state_(to.add_signal(
          stage + "_state" + number, "state of the lane",
          SignalFormat::enumeration({"idle", "ready", "waiting", "serving", "blocked"}))),
      busy_(to.add_signal(stage + "_busy" + number, "a stage is in service", SignalFormat::flag())),
      command_(to.add_signal(stage + "_command" + number, "command that the tile belongs to",
                             SignalFormat::id())),
      tile_(to.add_signal(stage + "_tile" + number, "tile in service, its number in the composite",
                          SignalFormat::id())),
      stage_(to.add_signal(stage + "_stage" + number,
                           "type of the stage in service; for MATH its operation",
                           SignalFormat::enumeration(stage_labels()))),
      m_(add_extent(to, stage + "_m" + number, "rows of the tile's output")),
      n_(add_extent(to, stage + "_n" + number, "columns of the tile's output")),
      k_(add_extent(to, stage + "_k" + number, "depth of the tile of a GEMM")),
      address_(to.add_signal(stage + "_address" + number,
                             "address of the block that the stage moves, or of its first operand",
                             SignalFormat::address(virtual_address_bits))) {}

void LaneSignals::show(LaneState state, const TileTask* task) {
  state_.set(static_cast<std::uint64_t>(state));
  busy_.set(state == LaneState::serving ? 1 : 0);
  if (task == nullptr) {
    clear();
  } else if (state != LaneState::blocked) {
    show_stage(*task);
  }
}

void LaneSignals::show_stage(const TileTask& task) {
  const Stage& stage = task.stage();
  command_.set(task.command_id);
  stage_.set(label_of(stage));
  const auto extent = [gemm = stage.is_gemm()](TraceSignal& signal, std::int64_t simple,
                                               std::int64_t covered) {
    const std::int64_t value = gemm && simple > 0 ? simple : covered;
    signal.set(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)));
  };
  const TileExtents& covers = task.tile.extents;
  extent(m_, stage.m, covers.rows.length);
  extent(n_, stage.n, covers.columns.length);
  extent(k_, stage.k, covers.depth.length);
  if (task.simple) {
    tile_.clear();
  } else {
    tile_.set(task.tile.id);
  }
  if (stage.type == StageType::dma_read || stage.type == StageType::dma_write) {
    address_.set(stage.address);
  } else if (stage.operand_count > 0 && task.operands != nullptr && !task.operands->empty()) {
    address_.set(task.operands->block(task.tile, stage).address);
  } else {
    address_.clear();
  }
}

void LaneSignals::clear() {
  for (TraceSignal* signal : {&command_, &tile_, &address_}) signal->clear();
  for (TraceSignal* signal : {&stage_, &m_, &n_, &k_}) signal->set(0);
}

}  // namespace kernbench
