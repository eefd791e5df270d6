#include "models/timing/tile_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/base/errors.h"
#include "models/protocol/task_operands.h"

namespace kernbench {
namespace {

using Count = std::uint64_t;

Count ceil_div(std::int64_t a, std::int64_t b) {
  return static_cast<Count>(a / b + (a % b != 0 ? 1 : 0));
}

// Tile `index` of an extent.
TileSpan span(std::int64_t extent, std::int64_t tile, Count index) {
  const std::int64_t begin = static_cast<std::int64_t>(index) * tile;
  return {begin, std::min(tile, extent - begin)};
}

struct Block {  // tile (rows, columns) of a tensor that is `width` wide
  const CompositeOperand& of;
  std::size_t operand;  // index in the command's operands
  TileSpan rows;
  TileSpan columns;
  std::int64_t width;

  Count bytes() const {
    return static_cast<Count>(rows.length) * static_cast<Count>(columns.length) * size_of(of.dtype);
  }
  Count address() const {
    return of.address + size_of(of.dtype) *
                            (static_cast<Count>(rows.begin) * static_cast<Count>(width) +
                             static_cast<Count>(rows.length) * static_cast<Count>(columns.begin));
  }
  // Layout of a strided operand.
  TensorLayout strided_layout() const {
    TensorLayout layout = *of.layout;
    layout.rows = rows.length;
    layout.columns = columns.length;
    return layout;
  }
  Count strided_address() const {
    return of.address + static_cast<Count>(of.layout->offset(rows.begin, columns.begin));
  }
};

void check_extent(const char* command, const char* name, std::int64_t value) {
  if (value < 1)
    throw UsageError(fmt::format("{}: {} is {}, allowed is at least 1", command, name, value));
}

TileShape checked(const char* command, const std::optional<TileShape>& tile,
                  const TileShape& default_tile) {
  const TileShape shape = tile.value_or(default_tile);
  check_extent(command, "tile_shape.m", shape.m);
  check_extent(command, "tile_shape.k", shape.k);
  check_extent(command, "tile_shape.n", shape.n);
  return shape;
}

void add_dma(Tile& tile, StageType type, const Block& block) {
  if (block.of.pinned) return;
  Stage stage;
  stage.type = type;
  stage.dtype = block.of.dtype;
  stage.strided = block.of.strided;
  stage.address = stage.strided ? block.strided_address() : block.address();
  stage.bytes = stage.strided ? block_bytes(block.strided_layout(), block.of.dtype) : block.bytes();
  stage.use(block.operand);
  tile.add(stage);
}

void add_move(Tile& tile, StageType type, Count bytes, Count register_bytes,
              std::size_t first_operand, std::size_t operands) {
  Stage stage;
  stage.type = type;
  stage.bytes = bytes;
  stage.register_bytes = register_bytes;
  stage.use(first_operand, operands);
  tile.add(stage);
}

Count operand_bytes(const EpilogueStage& op, std::int64_t m, std::int64_t n) {
  return op.operand_bytes_per_column * static_cast<Count>(n) +
         op.operand_bytes_per_element * static_cast<Count>(m) * static_cast<Count>(n);
}

}  // namespace

TilePlan::TilePlan(CompositeGemm command, const TileShape& default_tile)
    : gemm_(true), product_(std::move(command)),
      shape_(checked("composite gemm", product_.tile, default_tile)) {
  check_extent("composite gemm", "m", product_.m);
  check_extent("composite gemm", "k", product_.k);
  check_extent("composite gemm", "n", product_.n);
  tiles_m_ = ceil_div(product_.m, shape_.m);
  tiles_k_ = ceil_div(product_.k, shape_.k);
  tiles_n_ = ceil_div(product_.n, shape_.n);
  constexpr std::size_t stages_without_epilogue = 6;
  if (product_.epilogue.size() > Tile::max_stages - stages_without_epilogue) {
    throw UsageError(fmt::format("composite gemm: epilogue has {} entries, allowed are {}",
                                 product_.epilogue.size(),
                                 Tile::max_stages - stages_without_epilogue));
  }
  first_pass_tiles_ = tiles_m_ * tiles_n_ * tiles_k_;
  rows_ = product_.m;
  columns_ = product_.n;
  number_epilogue(product_.epilogue, 2);
  add_kernel_epilogue(product_.out);
}

TilePlan::TilePlan(CompositeMath command, const TileShape& default_tile)
    : shape_(checked("composite math", command.tile, default_tile)), rows_(command.m),
      columns_(command.n), math_{std::move(command.inputs), 0, command.out, {}} {
  check_extent("composite math", "m", rows_);
  check_extent("composite math", "n", columns_);
  constexpr std::size_t other_stages = 4;
  if (math_.inputs.size() + command.epilogue.size() > Tile::max_stages - other_stages) {
    throw UsageError(
        fmt::format("composite math: {} inputs and {} epilogue entries, allowed are {} together",
                    math_.inputs.size(), command.epilogue.size(), Tile::max_stages - other_stages));
  }
  tiles_m_ = ceil_div(rows_, shape_.m);
  tiles_n_ = ceil_div(columns_, shape_.n);
  first_pass_tiles_ = tiles_m_ * tiles_n_;
  number_epilogue(command.epilogue, math_.inputs.size());
  math_.ops.push_back({{command.op, EpilogueScope::output_tile, 0, 0}, 0, math_.inputs.size()});
  for (const Op& op : epilogue_) {
    if (op.stage.scope == EpilogueScope::k_tile)
      throw UsageError(
          "composite math: an epilogue entry at k_tile scope, and only a gemm has k tiles");
    if (op.stage.scope == EpilogueScope::output_tile) math_.ops.push_back(op);
  }
  add_kernel_epilogue(command.out);
}

void TilePlan::number_epilogue(const std::vector<EpilogueStage>& epilogue, std::size_t inputs) {
  result_ = inputs;
  for (const EpilogueStage& stage : epilogue) {
    epilogue_.push_back({stage, result_, stage.operand ? std::size_t{1} : 0});
    result_ += epilogue_.back().operands;
  }
}

void TilePlan::add_kernel_epilogue(const CompositeOperand& out) {
  for (const Op& op : epilogue_) {
    if (op.stage.scope == EpilogueScope::kernel) kernel_epilogue_.ops.push_back(op);
  }
  if (kernel_epilogue_.ops.empty()) return;
  kernel_epilogue_.inputs = {out};
  kernel_epilogue_.first_input = result_;
  kernel_epilogue_.result = out;
  second_pass_tiles_ = tiles_m_ * tiles_n_;
}

Tile TilePlan::tile(std::uint64_t i) const {
  if (i >= tile_count()) throw ModelError(fmt::format("tile {} of a plan of {}", i, tile_count()));
  if (i >= first_pass_tiles_) return math_tile(i, i - first_pass_tiles_, kernel_epilogue_);
  return gemm_ ? gemm_tile(i) : math_tile(i, i, math_);
}

Tile TilePlan::gemm_tile(std::uint64_t i) const {
  const CompositeGemm& g = product_;
  const Count k_index = i % tiles_k_;
  const TileSpan m = span(g.m, shape_.m, i / tiles_k_ / tiles_n_);
  const TileSpan n = span(g.n, shape_.n, i / tiles_k_ % tiles_n_);
  const TileSpan k = span(g.k, shape_.k, k_index);
  const Block a{g.a, 0, m, k, g.k};
  const Block b{g.b, 1, k, n, g.n};
  const Block out{g.out, result_, m, n, g.n};
  const bool first_k = k_index == 0;
  const bool last_k = k_index + 1 == tiles_k_;
  const Count accumulator =
      static_cast<Count>(m.length) * static_cast<Count>(n.length) * size_of(g.acc_dtype);

  std::vector<const Op*> epilogue;
  Count epilogue_bytes = 0;
  for (const EpilogueScope scope : {EpilogueScope::k_tile, EpilogueScope::output_tile}) {
    if (scope == EpilogueScope::output_tile && !last_k) break;
    for (const Op& op : epilogue_) {
      if (op.stage.scope != scope) continue;
      epilogue.push_back(&op);
      epilogue_bytes += operand_bytes(op.stage, m.length, n.length);
    }
  }

  Tile tile;
  tile.id = i;
  tile.extents = {m, n, k};
  add_dma(tile, StageType::dma_read, a);
  add_dma(tile, StageType::dma_read, b);
  const Count operands = a.bytes() + b.bytes();
  add_move(tile, StageType::fetch, operands + epilogue_bytes,
           operands + epilogue_bytes + (first_k ? accumulator : 0), 0, 2);
  Stage gemm;
  gemm.type = StageType::gemm;
  gemm.dtype = g.a.dtype;
  gemm.m = m.length;
  gemm.k = k.length;
  gemm.n = n.length;
  gemm.register_bytes = operands;
  gemm.use(0, 2);
  tile.add(gemm);
  for (std::size_t op = 0; op < epilogue.size(); ++op) {
    Stage math;
    math.type = StageType::math;
    math.math_op = epilogue[op]->stage.op;
    math.dtype = g.acc_dtype;
    math.elements = m.length * n.length;
    math.register_bytes = op + 1 == epilogue.size() ? epilogue_bytes : 0;
    math.use(epilogue[op]->first_operand, epilogue[op]->operands);
    tile.add(math);
  }
  if (last_k) {
    add_move(tile, StageType::store, out.bytes(), accumulator, result_, 1);
    add_dma(tile, StageType::dma_write, out);
  }
  return tile;
}

Tile TilePlan::math_tile(std::uint64_t id, std::uint64_t i, const Pass& pass) const {
  const TileSpan m = span(rows_, shape_.m, i / tiles_n_);
  const TileSpan n = span(columns_, shape_.n, i % tiles_n_);
  const Block out{pass.result, result_, m, n, columns_};
  Count operands = 0;
  Tile tile;
  tile.id = id;
  tile.extents = {m, n, {}};
  for (std::size_t input = 0; input < pass.inputs.size(); ++input) {
    const Block block{pass.inputs[input], pass.first_input + input, m, n, columns_};
    add_dma(tile, StageType::dma_read, block);
    operands += block.bytes();
  }
  for (const Op& op : pass.ops) operands += operand_bytes(op.stage, m.length, n.length);
  add_move(tile, StageType::fetch, operands, operands + out.bytes(), pass.first_input,
           pass.inputs.size());
  for (std::size_t op = 0; op < pass.ops.size(); ++op) {
    Stage math;
    math.type = StageType::math;
    math.math_op = pass.ops[op].stage.op;
    math.dtype = pass.inputs.empty() ? pass.result.dtype : pass.inputs.front().dtype;
    math.elements = m.length * n.length;
    math.register_bytes = op + 1 == pass.ops.size() ? operands : 0;
    math.use(pass.ops[op].first_operand, pass.ops[op].operands);
    tile.add(math);
  }
  add_move(tile, StageType::store, out.bytes(), out.bytes(), result_, 1);
  add_dma(tile, StageType::dma_write, out);
  return tile;
}

std::uint64_t TilePlan::largest_register_bytes() const {
  // The first tile of each kind is the largest: only the edges are smaller. A tile of a later k
  // finds the accumulator there.
  const auto fetched = [](const Tile& tile) {
    for (std::size_t i = 0; i < tile.size(); ++i) {
      if (tile[i].type == StageType::fetch) return tile[i];
    }
    return Stage{};
  };
  std::uint64_t largest = fetched(tile(0)).register_bytes;
  if (gemm_) {
    const std::uint64_t accumulator = largest - fetched(tile(0)).bytes;
    largest = std::max(largest, fetched(tile(tiles_k_ - 1)).bytes + accumulator);
  }
  if (second_pass_tiles_ > 0)
    largest = std::max(largest, fetched(tile(first_pass_tiles_)).register_bytes);
  return largest;
}

std::uint64_t TilePlan::largest_buffer_bytes() const {
  std::uint64_t largest =
      std::max(buffer_bytes(tile(0)), buffer_bytes(tile(gemm_ ? tiles_k_ - 1 : 0)));
  if (second_pass_tiles_ > 0) largest = std::max(largest, buffer_bytes(tile(first_pass_tiles_)));
  return largest;
}

const char* TilePlan::op_log_name() const {
  if (gemm_) return "composite_gemm";
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int i = 0; i < math_op_count; ++i)
      all.push_back("composite_" + std::string(name_of(static_cast<MathOp>(i))));
    return all;
  }();
  return names[static_cast<std::size_t>(math_.ops.front().stage.op)].c_str();
}

std::string TilePlan::tile_text() const {
  return (gemm_ ? fmt::format("tile {}x{}x{} (m, k, n)", shape_.m, shape_.k, shape_.n)
                : fmt::format("tile {}x{} (m, n)", shape_.m, shape_.n)) +
         " of " + op_log_name();
}

std::uint64_t buffer_bytes(const Tile& tile) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (tile[i].type == StageType::dma_read || tile[i].type == StageType::dma_write)
      bytes += tile[i].bytes;
  }
  return bytes;
}

}  // namespace kernbench
