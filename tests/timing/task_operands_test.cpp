// References of a command's operands, tile by tile (spec 5.2).
#include "models/protocol/task_operands.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <map>
#include <vector>

#include "models/data/memory_store.h"
#include "models/timing/tile_plan.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(task_operands)

namespace {

constexpr TileShape small_tiles{4, 5, 3};

// Extents up to 12, rows with a gap behind them or transposed.
std::int64_t any_extent() { return *rc::gen::inRange<std::int64_t>(1, 13); }
TensorLayout any_layout(std::int64_t rows, std::int64_t columns, DType dtype) {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  const std::int64_t gap = *rc::gen::inRange<std::int64_t>(0, 3);
  if (*rc::gen::arbitrary<bool>()) return {rows, columns, (columns + gap) * size, size};
  return {rows, columns, size, (rows + gap) * size};
}

CompositeGemm any_gemm(DType dtype) {
  CompositeGemm g;
  g.m = any_extent();
  g.k = any_extent();
  g.n = any_extent();
  g.a = {*rc::gen::arbitrary<bool>(), 0x10000, dtype, any_layout(g.m, g.k, dtype)};
  g.b = {*rc::gen::arbitrary<bool>(), 0x20000, dtype, any_layout(g.k, g.n, dtype)};
  g.out = {*rc::gen::arbitrary<bool>(), 0x30000, dtype, any_layout(g.m, g.n, dtype)};
  return g;
}

// The only stage of a type; null if there is none.
const Stage* stage_of(const Tile& tile, StageType type) {
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (tile[i].type == type) return &tile[i];
  }
  return nullptr;
}

using Uses = std::map<std::uint64_t, int>;  // by the address of the element
void use(Uses& uses, const BlockReference& block) {
  for (std::int64_t i = 0; i < block.layout.rows; ++i) {
    for (std::int64_t j = 0; j < block.layout.columns; ++j) ++uses[block.address_of(i, j)];
  }
}
// Each element of the operand `times` times, and nothing else.
bool each(const Uses& uses, const BlockReference& operand, int times) {
  Uses expected;
  for (int i = 0; i < times; ++i) use(expected, operand);
  return uses == expected;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int32_t element(const MemoryStore& memory, const BlockReference& block, std::int64_t i,
                     std::int64_t j) {
  std::int32_t value = 0;
  const std::vector<std::byte> bytes = memory.read_bytes(block.address_of(i, j), sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Adds the tile's product, to where its result is.
void multiply(MemoryStore& memory, const BlockReference& a, const BlockReference& b,
              const BlockReference& out) {
  for (std::int64_t i = 0; i < out.layout.rows; ++i) {
    for (std::int64_t j = 0; j < out.layout.columns; ++j) {
      std::int32_t sum = element(memory, out, i, j);
      for (std::int64_t k = 0; k < a.layout.columns; ++k)
        sum += element(memory, a, i, k) * element(memory, b, k, j);
      memory.write_bytes(out.address_of(i, j), &sum, sizeof sum);
    }
  }
}

void fill(MemoryStore& memory, const BlockReference& block) {
  for (std::int64_t i = 0; i < block.layout.rows; ++i) {
    for (std::int64_t j = 0; j < block.layout.columns; ++j) {
      const std::int32_t value = *rc::gen::inRange(-9, 10);
      memory.write_bytes(block.address_of(i, j), &value, sizeof value);
    }
  }
}

}  // namespace

RC_BOOST_PROP(the_tiles_of_a_gemm_refer_to_each_element_once_per_use, ()) {
  Command command;
  const CompositeGemm g = any_gemm(*rc::gen::element(DType::i8, DType::f16, DType::i32));
  command.what = g;
  const TaskOperands operands(command, small_tiles);
  const TilePlan plan(g, small_tiles);
  Uses a, b, out;
  for (std::uint64_t i = 0; i < plan.tile_count(); ++i) {
    const Tile tile = plan.tile(i);
    const Stage& gemm = *stage_of(tile, StageType::gemm);
    RC_ASSERT(gemm.operand_count == 2);
    const BlockReference left = operands.block(tile, gemm, 0),
                         right = operands.block(tile, gemm, 1);
    RC_ASSERT(left.layout.rows == gemm.m && left.layout.columns == gemm.k);
    RC_ASSERT(right.layout.rows == gemm.k && right.layout.columns == gemm.n);
    RC_ASSERT(left.pinned == g.a.pinned && right.dtype == g.b.dtype);
    RC_ASSERT(left.input == 0 && right.input == 1);
    use(a, left);
    use(b, right);
    if (const Stage* store = stage_of(tile, StageType::store)) {
      const BlockReference result = operands.block(tile, *store);
      RC_ASSERT(result.input == -1);
      use(out, result);
    }
  }
  RC_ASSERT(each(a, operands[0], static_cast<int>(ceil_div(g.n, small_tiles.n))));
  RC_ASSERT(each(b, operands[1], static_cast<int>(ceil_div(g.m, small_tiles.m))));
  RC_ASSERT(each(out, operands[operands.result()], 1));
}

RC_BOOST_PROP(the_product_of_the_references_is_that_of_the_operands, ()) {
  Command command;
  const CompositeGemm g = any_gemm(DType::i32);
  command.what = g;
  const TaskOperands operands(command, small_tiles);
  const TilePlan plan(g, small_tiles);
  MemoryStore memory;
  fill(memory, operands[0]);
  fill(memory, operands[1]);
  for (std::uint64_t i = 0; i < plan.tile_count(); ++i) {
    const Tile tile = plan.tile(i);
    multiply(memory, operands.block(0, tile), operands.block(1, tile),
             operands.block(operands.result(), tile));
  }
  const BlockReference out = operands[operands.result()];
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      std::int32_t sum = 0;
      for (std::int64_t k = 0; k < g.k; ++k)
        sum += element(memory, operands[0], i, k) * element(memory, operands[1], k, j);
      RC_ASSERT(element(memory, out, i, j) == sum);
    }
  }
}

// A bias of the columns once per output tile of a row of tiles, a tensor of the output's shape
// once, a factor per k tile with each output tile; in the kernel pass the result is read again.
RC_BOOST_PROP(the_tensors_of_epilogues_are_referred_to_by_the_stages_that_use_them, ()) {
  CompositeGemm g = any_gemm(DType::f16);
  const std::int64_t k_tiles = ceil_div(g.k, small_tiles.k);
  const auto tensor = [](std::uint64_t address) {
    return CompositeOperand{true, address, DType::f16, std::nullopt};
  };
  g.epilogue = {{MathOp::add, EpilogueScope::output_tile, 2, 0, tensor(0x40000)},
                {MathOp::relu, EpilogueScope::output_tile, 0, 0, std::nullopt},
                {MathOp::mul, EpilogueScope::k_tile, 0, 0, tensor(0x50000)},
                {MathOp::mul, EpilogueScope::kernel, 0, 2, tensor(0x60000)}};
  Command command;
  command.what = g;
  const TaskOperands operands(command, small_tiles);
  RC_ASSERT(operands.size() == 6U);
  const TilePlan plan(g, small_tiles);
  std::map<std::size_t, Uses> uses;  // by operand, those of MATH stages and of FETCH
  for (std::uint64_t i = 0; i < plan.tile_count(); ++i) {
    const Tile tile = plan.tile(i);
    for (std::size_t s = 0; s < tile.size(); ++s) {
      if (tile[s].type != StageType::math && tile[s].type != StageType::fetch) continue;
      for (std::size_t each = 0; each < tile[s].operand_count; ++each)
        use(uses[tile[s].first_operand + each], operands.block(tile, tile[s], each));
    }
  }
  const int row_tiles = static_cast<int>(ceil_div(g.m, small_tiles.m)),
            column_tiles = static_cast<int>(ceil_div(g.n, small_tiles.n));
  RC_ASSERT(each(uses[2], operands[2], row_tiles));
  RC_ASSERT(operands[3].layout.columns == k_tiles);
  RC_ASSERT(each(uses[3], operands[3], row_tiles * column_tiles));
  RC_ASSERT(each(uses[4], operands[4], 1));
  RC_ASSERT(each(uses[5], operands[5], 1));  // by the FETCH of the kernel pass
}

RC_BOOST_PROP(the_tiles_of_a_math_composite_refer_to_each_element_once, ()) {
  CompositeMath math;
  math.m = any_extent();
  math.n = any_extent();
  math.inputs = {{false, 0x10000, DType::f32, std::nullopt},
                 {true, 0x20000, DType::f16, TensorLayout{math.m, math.n, 0, 2}}};  // a bias
  math.out = {false, 0x30000, DType::f32, std::nullopt};
  Command command;
  command.what = math;
  const TaskOperands operands(command, small_tiles);
  const TilePlan plan(math, small_tiles);
  Uses first, bias, out;
  for (std::uint64_t i = 0; i < plan.tile_count(); ++i) {
    const Tile tile = plan.tile(i);
    const Stage& add = *stage_of(tile, StageType::math);
    RC_ASSERT(add.operand_count == 2);
    use(first, operands.block(tile, *stage_of(tile, StageType::dma_read)));
    use(bias, operands.block(tile, add, 1));
    use(out, operands.block(tile, *stage_of(tile, StageType::dma_write)));
  }
  RC_ASSERT(each(first, operands[0], 1));
  RC_ASSERT(each(out, operands[2], 1));
  RC_ASSERT(bias.size() == static_cast<std::size_t>(math.n));
  for (const auto& [address, times] : bias) RC_ASSERT(times == math.m);
}

BOOST_AUTO_TEST_CASE(a_simple_command_refers_to_its_operands_as_a_whole) {
  Command command;
  command.what = DotCommand{2,
                            3,
                            4,
                            DType::f16,
                            {{true, 0x100, DType::f16, TensorLayout{2, 3, 6, 2}},
                             {true, 0x200, DType::f16, TensorLayout{3, 4, 2, 6}},
                             {true, 0x300, DType::f16, TensorLayout{2, 4, 8, 2}}}};
  const TaskOperands operands(command, small_tiles);
  BOOST_TEST(operands.size() == 3U);
  const BlockReference b = operands.block(1, Tile());
  BOOST_TEST(b.address_of(2, 3) == 0x200U + 2 * 2 + 3 * 6);
  BOOST_TEST(b.layout.rows == 3);
  BOOST_TEST(TaskOperands(Command{DotCommand{2, 3, 4, DType::f16}, nullptr}, small_tiles).empty());
  BOOST_TEST(TaskOperands(Command{DmaCommand{}, nullptr}, small_tiles).empty());
}

// References stay in one table per command: what a tile and a stage carry of them is small.
BOOST_AUTO_TEST_CASE(a_stage_does_not_grow_by_its_references) {
  BOOST_TEST(sizeof(Stage) == 64U);
  BOOST_TEST(sizeof(TileExtents) == 48U);
}

BOOST_AUTO_TEST_SUITE_END()
