#include "platform/observe/op_parameters.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "models/base/component.h"
#include "models/data/data_op.h"
#include "models/protocol/task_operands.h"
#include "models/protocol/tile_task.h"

namespace kernbench {
namespace {

// --- Operands of the command

// Physical ranges of an operand, in the order of its bytes; empty: the command has no record.
PhysRanges bound_ranges(const TaskOperands& operands, std::size_t operand) {
  if (operands.data() == nullptr) return {};
  const OpAddresses& places = operands.data()->places;
  if (operand == operands.result()) return places.to;
  PhysRanges ranges;
  auto next = places.from.begin();
  for (std::size_t i = 0; i <= operand; ++i) {
    const BlockReference whole = operands[i];
    ranges.clear();
    std::uint64_t left = whole.pinned ? 1 : block_bytes(whole.layout, whole.dtype);
    for (; left > 0 && next != places.from.end(); ++next) {
      ranges.push_back(*next);
      left -= std::min(left, next->nbytes);
    }
  }
  return ranges;
}

bool in_one_piece(const BlockReference& block) {
  const auto size = static_cast<std::int64_t>(size_of(block.dtype));
  const TensorLayout& layout = block.layout;
  return layout.column_stride == size &&
         (layout.rows == 1 || layout.row_stride == layout.columns * size);
}

// Translation of the addresses of one operand, from those of the command to physical ones.
class Translation {
 public:
  Translation(const TaskOperands& operands, std::size_t operand) {
    const BlockReference whole = operands[operand];
    if (whole.pinned) return;
    ranges_ = bound_ranges(operands, operand);
    if (ranges_.empty()) return;
    if (in_one_piece(whole)) {
      runs_ = {{whole.address, total_bytes(ranges_)}};
    } else {
      runs_ = block_runs(whole);
    }
  }

  void add(AddressRun run, PhysRanges& to) const {
    while (run.nbytes > 0) {
      const PhysRange first = first_of(run);
      to.push_back(first);
      run.address += first.nbytes;
      run.nbytes -= first.nbytes;
    }
  }
  std::uint64_t physical(std::uint64_t address) const { return first_of({address, 1}).pa; }

 private:
  // Longest prefix that is in one range; the whole run without ranges.
  PhysRange first_of(const AddressRun& run) const {
    std::uint64_t offset = 0, nbytes = 0;  // position in the ranges
    for (const AddressRun& each : runs_) {
      if (run.address >= each.address && run.address - each.address < each.nbytes) {
        const std::uint64_t skipped = run.address - each.address;
        offset += skipped;
        nbytes = std::min(run.nbytes, each.nbytes - skipped);
        break;
      }
      offset += each.nbytes;
    }
    for (const PhysRange& range : ranges_) {
      if (offset < range.nbytes && nbytes > 0)
        return {range.pa + offset, std::min(nbytes, range.nbytes - offset)};
      offset -= std::min(offset, range.nbytes);
    }
    return {run.address, run.nbytes};
  }

  PhysRanges ranges_;
  AddressRuns runs_;
};

// --- A stage

class StageRecord {
 public:
  StageRecord(const TileTask& task, std::uint64_t tcm)
      : task_(task), operands_(*task.operands), stage_(task.stage()), tcm_(tcm) {}

  DataOp op() {
    switch (stage_.type) {
      case StageType::dma_read:
        move(MemoryParams::Kind::load, stage_.first_operand);
        add_memory(op_.places.from);
        op_.places.to.push_back(buffer_of(task_.stage_index));
        break;
      case StageType::dma_write:
        move(MemoryParams::Kind::store, stage_.first_operand);
        op_.places.from.push_back(buffer_of(task_.stage_index));
        add_memory(op_.places.to);
        break;
      case StageType::fetch:
        fetch();
        break;
      case StageType::store:
        move(MemoryParams::Kind::store, stage_.first_operand);
        op_.places.from_registers = stage_.bytes;
        op_.places.to.push_back(in_tcm(operands_.result()));
        break;
      case StageType::gemm:
        gemm();
        break;
      case StageType::math:
        math();
        break;
    }
    return std::move(op_);
  }

 private:
  void move(MemoryParams::Kind kind, std::size_t operand) {
    const TensorValue block = block_of(operand);
    op_.params = MemoryParams{kind, std::vector<ValueId>(), block.dtype, block.shape};
  }

  void fetch() {
    op_.params = MemoryParams{MemoryParams::Kind::load, std::vector<ValueId>(), {}, {}};
    for (std::size_t i = 0; i < stage_.operand_count; ++i) fetch(stage_.first_operand + i);
    // Tensors of the epilogue; scales of k tiles take no time.
    for (std::size_t i = task_.stage_index + 1; i < task_.tile.size(); ++i) {
      const Stage& user = task_.tile[i];
      if (user.type != StageType::math || is_own_operation(i)) continue;
      for (std::size_t j = 0; j < user.operand_count; ++j) {
        if (operands_.spans(user.first_operand + j) != TaskOperands::Spans::k_tile)
          fetch(user.first_operand + j);
      }
    }
    op_.places.to_registers = stage_.bytes;
  }
  void fetch(std::size_t operand) {
    op_.inputs.push_back(block_of(operand));
    op_.places.from.push_back(in_tcm(operand));
  }

  void gemm() {
    GemmParams params;
    params.m = stage_.m;
    params.k = stage_.k;
    params.n = stage_.n;
    if (const auto* command = command_params<GemmParams>()) params.acc_dtype = command->acc_dtype;
    op_.params = std::move(params);
    compute();
  }

  void math() {
    MathParams params;
    params.op = stage_.math_op;
    if (!is_own_operation(task_.stage_index)) {
      const TileExtents& at = task_.tile.extents;
      op_.inputs.push_back({{}, {at.rows.length, at.columns.length}, stage_.dtype, {}});
      op_.places.from_registers = op_.inputs.back().nbytes();
    } else if (const auto* command = command_params<MathParams>()) {
      params.operands = command->operands;
    }
    if (params.operands.empty()) {
      for (int i = 0; i < static_cast<int>(op_.inputs.size()) + stage_.operand_count; ++i)
        params.operands.push_back(MathOperand::tensor(i));
    }
    op_.params = std::move(params);
    compute();
  }

  template <class Params>
  const Params* command_params() const {
    return operands_.data() == nullptr ? nullptr : std::get_if<Params>(&operands_.data()->params);
  }

  void compute() {
    for (std::size_t i = 0; i < stage_.operand_count; ++i) {
      op_.inputs.push_back(block_of(stage_.first_operand + i));
      op_.places.from.push_back(in_tensor(stage_.first_operand + i));
    }
    const TensorValue result = block_of(operands_.result());
    op_.outputs.push_back({no_value, result.shape, result.dtype});
    op_.places.to.push_back(in_tensor(operands_.result()));
  }

  // True if a MATH stage is the operation of a math command, whose operands have just been fetched;
  // entries of an epilogue continue on the tile's result.
  bool is_own_operation(std::size_t stage) const {
    const Stage &before = task_.tile[stage - 1], &at = task_.tile[stage];
    return before.type == StageType::fetch && before.first_operand == at.first_operand &&
           before.operand_count == at.operand_count;
  }

  // Ranges of a DMA stage, as addressed by the timing model.
  void add_memory(PhysRanges& to) const {
    const Translation translation(operands_, stage_.first_operand);
    if (!stage_.strided) return translation.add({stage_.address, stage_.bytes}, to);
    for (const AddressRun& run : task_.runs_of_stage()) translation.add(run, to);
  }

  // Tile buffers hold the blocks of the tile's DMA stages in order.
  PhysRange buffer_of(std::size_t dma_stage) const {
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < dma_stage; ++i) {
      const StageType type = task_.tile[i].type;
      if (type == StageType::dma_read || type == StageType::dma_write)
        offset += task_.tile[i].bytes;
    }
    return {tcm_ + task_.buffer_address + offset, task_.tile[dma_stage].bytes};
  }

  // Range of a block that FETCH reads or STORE writes.
  PhysRange in_tcm(std::size_t operand) const {
    for (std::size_t i = 0; i < task_.tile.size(); ++i) {
      const Stage& stage = task_.tile[i];
      const bool buffered = stage_.type == StageType::fetch ? stage.type == StageType::dma_read
                                                            : stage.type == StageType::dma_write;
      if (buffered && stage.first_operand == operand) return buffer_of(i);
    }
    return in_tensor(operand);
  }

  // Range of a block: its first element, the bytes of all elements.
  PhysRange in_tensor(std::size_t operand) const {
    const BlockReference block = operands_.block(operand, task_.tile);
    const std::uint64_t nbytes = block.layout.regular() ? block_bytes(block.layout, block.dtype)
                                                        : block_of(operand).nbytes();
    if (block.pinned) return {block.address, nbytes};
    return {Translation(operands_, operand).physical(block.address), nbytes};
  }

  TensorValue block_of(std::size_t operand) const {
    const BlockReference block = operands_.block(operand, task_.tile);
    const TensorLayout& layout = block.layout;
    if (!layout.regular()) {
      const TileExtents& at = task_.tile.extents;
      return {{}, {at.rows.length, at.columns.length}, block.dtype, {}};
    }
    TensorValue value{{}, {layout.rows, layout.columns}, block.dtype, {}};
    const auto size = static_cast<std::int64_t>(size_of(block.dtype));
    if (!in_one_piece(block))
      value.strides = {layout.row_stride / size, layout.column_stride / size};
    return value;
  }

  const TileTask& task_;
  const TaskOperands& operands_;
  const Stage& stage_;
  std::uint64_t tcm_;
  DataOp op_;
};

}  // namespace

OpParameters::OpParameters(Observation& observation, const MachineDescription& machine,
                           tlm::tlm_analysis_if<ExecutedOp>& log)
    : log_(log), tcms_(machine.nodes.size()) {
  const std::vector<NodeId>& tcms =
      machine.tables.engines.at(static_cast<std::size_t>(PeEngine::pe_tcm));
  for (const std::vector<NodeId>& engines : machine.tables.engines) {
    for (std::size_t pe = 0; pe < engines.size(); ++pe) {
      if (engines[pe] == no_node || tcms[pe] == no_node) continue;
      if (const auto range = machine.memory_map.range_of(tcms[pe]))
        tcms_.at(engines[pe]) = range->base;
    }
  }
  observation.records_parameters = true;
  observation.executed_ops.bind(*this);
}

void OpParameters::write(const ExecutedOp& op) {
  if (op.task == nullptr) return log_.write(op);
  ExecutedOp logged = op;
  logged.task = nullptr;
  if (!op.task->simple) {
    const auto& engine = dynamic_cast<const Component&>(*op.node);
    logged.data = std::make_shared<DataOp>(StageRecord(*op.task, tcms_.at(engine.node())).op());
  }
  log_.write(logged);
}

}  // namespace kernbench
