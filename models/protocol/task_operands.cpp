#include "models/protocol/task_operands.h"

#include <array>
#include <utility>

namespace kernbench {

// Fills the table from each kind of command.
struct TaskOperands::Listing {
  TaskOperands& to;
  const TileShape& default_tile;

  void operator()(const DmaCommand&) const {}
  void operator()(const DotCommand& dot) const { add_whole(dot.operands); }
  void operator()(const MathCommand& math) const { add_whole(math.operands); }
  void operator()(const CompositeGemm& g) const {
    to.depth_ = g.k;
    to.tile_k_ = g.tile.value_or(default_tile).k;
    add(g.a, Spans::rows_depth, g.m, g.k);
    add(g.b, Spans::depth_columns, g.k, g.n);
    add_epilogue(g.epilogue, g.m, g.n);
    add(g.out, Spans::rows_columns, g.m, g.n);
  }
  void operator()(const CompositeMath& math) const {
    for (const CompositeOperand& input : math.inputs)
      add(input, Spans::rows_columns, math.m, math.n);
    add_epilogue(math.epilogue, math.m, math.n);
    add(math.out, Spans::rows_columns, math.m, math.n);
  }

 private:
  void add(const CompositeOperand& at, Spans spans, std::int64_t rows, std::int64_t columns) const {
    to.operands_.push_back(
        {at, at.layout.value_or(TensorLayout::dense(rows, columns, at.dtype)), spans});
  }
  void add_whole(const CommandOperands& operands) const {
    for (const CompositeOperand& each : operands)
      to.operands_.push_back({each, each.layout.value_or(TensorLayout()), Spans::whole});
  }
  void add_epilogue(const std::vector<EpilogueStage>& epilogue, std::int64_t m,
                    std::int64_t n) const {
    const std::int64_t k_tiles = (to.depth_ + to.tile_k_ - 1) / to.tile_k_;
    for (const EpilogueStage& op : epilogue) {
      if (!op.operand) continue;
      if (op.operand_bytes_per_element > 0) {
        add(*op.operand, Spans::rows_columns, m, n);
      } else if (op.operand_bytes_per_column > 0) {
        add(*op.operand, Spans::columns, 1, n);
      } else {
        add(*op.operand, Spans::k_tile, 1, k_tiles);
      }
    }
  }
};

TaskOperands::TaskOperands(const Command& command, const TileShape& default_tile)
    : data_(command.data.get()) {
  std::visit(Listing{*this, default_tile}, command.what);
}

BlockReference TaskOperands::operator[](std::size_t operand) const {
  const Operand& of = operands_[operand];
  const int input = operand == result() ? -1 : static_cast<int>(operand);
  return {of.at.address, of.at.pinned, of.at.dtype, input, of.layout, 0, 0};
}

BlockReference TaskOperands::block(std::size_t operand, const Tile& tile) const {
  BlockReference reference = (*this)[operand];
  if (!reference.layout.regular()) return reference;
  const TileExtents& at = tile.extents;
  TileSpan rows{0, reference.layout.rows}, columns{0, reference.layout.columns};
  switch (operands_[operand].spans) {
    case Spans::rows_depth:
      rows = at.rows;
      columns = at.depth;
      break;
    case Spans::depth_columns:
      rows = at.depth;
      columns = at.columns;
      break;
    case Spans::rows_columns:
      rows = at.rows;
      columns = at.columns;
      break;
    case Spans::columns:
      columns = at.columns;
      break;
    case Spans::k_tile:
      columns = {at.depth.begin / tile_k_, 1};
      break;
    case Spans::whole:
      break;
  }
  reference.address = reference.address_of(rows.begin, columns.begin);
  reference.layout.rows = rows.length;
  reference.layout.columns = columns.length;
  reference.row = rows.begin;
  reference.column = columns.begin;
  return reference;
}

namespace {

struct Axis {
  std::int64_t extent = 1, stride = 0;  // bytes
};

// The extents that are read, an axis of stride 0 once.
std::array<Axis, 2> axes_of(const TensorLayout& layout) {
  std::array<Axis, 2> axes{
      Axis{layout.row_stride == 0 ? 1 : layout.rows, layout.row_stride},
      Axis{layout.column_stride == 0 ? 1 : layout.columns, layout.column_stride}};
  if (axes[1].stride > axes[0].stride) std::swap(axes[0], axes[1]);
  return axes;
}

}  // namespace

void add_run(AddressRuns& runs, std::uint64_t address, std::uint64_t nbytes) {
  if (!runs.empty() && runs.back().address + runs.back().nbytes == address) {
    runs.back().nbytes += nbytes;
  } else {
    runs.push_back({address, nbytes});
  }
}

AddressRuns block_runs(const BlockReference& block) {
  const auto size = static_cast<std::int64_t>(size_of(block.dtype));
  const auto [outer, inner] = axes_of(block.layout);
  const bool contiguous = inner.stride == size;
  AddressRuns runs;
  for (std::int64_t i = 0; i < outer.extent; ++i) {
    const std::uint64_t row = block.address + static_cast<std::uint64_t>(i * outer.stride);
    if (contiguous) {
      add_run(runs, row, static_cast<std::uint64_t>(inner.extent * size));
      continue;
    }
    for (std::int64_t j = 0; j < inner.extent; ++j)
      add_run(runs, row + static_cast<std::uint64_t>(j * inner.stride),
              static_cast<std::uint64_t>(size));
  }
  return runs;
}

std::uint64_t block_bytes(const TensorLayout& block, DType dtype) {
  const auto axes = axes_of(block);
  return static_cast<std::uint64_t>(axes[0].extent * axes[1].extent) * size_of(dtype);
}

}  // namespace kernbench
