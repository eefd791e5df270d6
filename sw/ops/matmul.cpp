#include "sw/ops/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/program.h"

namespace kernbench::ops {
namespace {

// --- on each PE

std::vector<tl::EpilogueEntry> epilogue_of(Activation activation) {
  switch (activation) {
    case Activation::none:
      return {};
    case Activation::relu:
      return {tl::relu()};
    case Activation::gelu:
      return {tl::gelu()};
    case Activation::silu:
      return {tl::silu()};
  }
  throw UsageError(
      fmt::format("matmul: activation {} does not exist", static_cast<int>(activation)));
}

// A composite: rows x columns of the result, of a part of K.
struct Step {
  Range rows, columns, k;
  bool first_k = true, last_k = true;
};

std::vector<Range> blocks_of(const Range& whole, std::int64_t block) {
  std::vector<Range> blocks;
  for (std::int64_t begin = whole.begin; begin < whole.end; begin += block)
    blocks.push_back({begin, std::min(whole.end, begin + block)});
  return blocks;
}

// Each step needs elements of one shard of b.
std::vector<Step> steps_of(const PlacedMatrix& b, const Range& rows, const Range& columns,
                           const Range& k, const TileShape& block) {
  std::vector<Range> column_blocks, k_blocks;
  for (const Range& part : b.column_parts(k, columns)) {
    for (const Range& each : blocks_of(part, block.n)) column_blocks.push_back(each);
  }
  for (const Range& part : b.row_parts(k, columns)) {
    for (const Range& each : blocks_of(part, block.k)) k_blocks.push_back(each);
  }
  std::vector<Step> steps;
  for (const Range& of_rows : blocks_of(rows, block.m)) {
    for (const Range& of_columns : column_blocks) {
      for (const Range& of_k : k_blocks)
        steps.push_back(
            {of_rows, of_columns, of_k, of_k == k_blocks.front(), of_k == k_blocks.back()});
    }
  }
  return steps;
}

// The panel of the next step is loaded concurrently with the composites of this one. Sums over
// parts of K stay in TCM, in f32 or i32: each part adds the previous ones in its epilogue.
void multiply(tl::Program& tl, const tl::Tensor& a_argument, const tl::Tensor& b_argument,
              const tl::Tensor* bias, const tl::Tensor& out, const TileShape& block,
              const TileShape& tile, bool partial, Activation activation) {
  if (!out.has_local()) return;
  const PlacedMatrix a(tl, a_argument), b(tl, b_argument);
  const Range k = partial ? local_rows(b_argument) : Range{0, b.rows()};
  const std::vector<Step> steps = steps_of(b, local_rows(out), local_columns(out), k, block);
  const DType sum_dtype = is_float(out.dtype()) ? DType::f32 : DType::i32;

  const auto panel_of = [&](const Step& step) { return a.load_async(step.rows, step.k); };
  tl::Handle panel, next = panel_of(steps.front()), sum, addend;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    panel = next;
    if (i + 1 < steps.size() && (steps[i + 1].rows != step.rows || steps[i + 1].k != step.k))
      next = panel_of(steps[i + 1]);
    if (bias != nullptr && (i == 0 || steps[i - 1].columns != step.columns))
      addend = tl.reshape(PlacedMatrix(tl, *bias).load_async({0, 1}, step.columns),
                          {step.columns.size()});

    tl::GemmSpec product = tl::gemm(panel, tl.ref(b.at(step.k, step.columns)));
    std::vector<tl::EpilogueEntry> epilogue;
    if (!step.first_k) epilogue.push_back(tl::add(sum));
    if (step.last_k) {
      if (bias != nullptr) epilogue.push_back(tl::bias(addend));
      for (const tl::EpilogueEntry& entry : epilogue_of(activation)) epilogue.push_back(entry);
      product.to(local_block(tl, out, step.rows, step.columns));
    } else {
      product.as(sum_dtype);
    }
    const tl::Composite composite = tl.composite(product.epilogue(epilogue).tile(tile));
    if (!step.last_k) sum = composite.result();
  }
  tl.wait();
}

void matmul_kernel(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int block_m,
                   int block_k, int block_n, int tile_m, int tile_k, int tile_n, bool partial,
                   int activation) {
  multiply(tl, a, b, nullptr, out, {block_m, block_k, block_n}, {tile_m, tile_k, tile_n}, partial,
           static_cast<Activation>(activation));
}

void linear_kernel(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor bias, tl::Tensor out,
                   int block_m, int block_k, int block_n, int tile_m, int tile_k, int tile_n,
                   int activation) {
  multiply(tl, a, b, &bias, out, {block_m, block_k, block_n}, {tile_m, tile_k, tile_n}, false,
           static_cast<Activation>(activation));
}

// --- on the host

[[noreturn]] void refuse(const MatmulOptions& options, const std::string& reason) {
  throw UsageError(fmt::format("{}: {}", options.name, reason));
}

void check_shapes(const Tensor& a, const Tensor& b, const Tensor& out,
                  const MatmulOptions& options) {
  for (const Tensor* tensor : {&a, &b, &out}) {
    if (tensor->shape().rank() != 2)
      refuse(options, fmt::format("{} has rank {}, expected 2: {{M, K}} x {{K, N}} -> {{M, N}}",
                                  text_of(*tensor), tensor->shape().rank()));
  }
  if (a.shape()[1] != b.shape()[0] || a.shape()[1] == 0)
    refuse(options,
           fmt::format("{} x {}: the second extent of the first has to be the first of the "
                       "second, at least 1",
                       text_of(a), text_of(b)));
  const Shape expected{a.shape()[0], b.shape()[1]};
  if (out.shape() != expected)
    refuse(options, fmt::format("{} x {}: the result {} has to be {}", text_of(a), text_of(b),
                                text_of(out), expected.str()));
  if (options.bias && options.bias->shape() != Shape{expected[1]})
    refuse(options,
           fmt::format("bias {}, expected {}", text_of(*options.bias), Shape{expected[1]}.str()));
}

void check_values(const Tensor& a, const Tensor& b, const Tensor& out,
                  const MatmulOptions& options) {
  std::vector<const Tensor*> inputs{&a, &b};
  if (options.bias) inputs.push_back(&*options.bias);
  for (const Tensor* input : inputs) {
    if (input->is_partial())
      refuse(options, fmt::format("input {} has partial sums: all_reduce or reduce them first",
                                  text_of(*input)));
    if (input->va() == out.va())
      refuse(options, fmt::format("{} is input and result", text_of(out)));
  }
  const bool integers = !is_float(a.dtype());
  if (is_float(b.dtype()) == integers || (out.dtype() != i32) == integers)
    refuse(options, fmt::format("{} x {} -> {}: expected floats, or integers with a result of i32",
                                name_of(a.dtype()), name_of(b.dtype()), name_of(out.dtype())));
  if (out.is_partial() && (options.bias || options.activation != Activation::none))
    refuse(options, fmt::format("{} has partial sums: a bias or an activation has to follow their "
                                "sum",
                                text_of(out)));
}

// The summands of each part of `out` are products of disjoint rows of b, which make up K.
void check_summands(const Tensor& b, const Tensor& out, const MatmulOptions& options) {
  std::map<std::uint64_t, std::vector<Range>> rows_by_part;
  for (const tl::Block& summand : out.info()->blocks) {
    for (const tl::Block& block : b.info()->blocks) {
      if (block.where == summand.where)
        rows_by_part[summand.offset].push_back({block.start[0], block.start[0] + block.shape[0]});
    }
  }
  for (auto& [offset, rows] : rows_by_part) {
    std::sort(rows.begin(), rows.end(),
              [](const Range& x, const Range& y) { return x.begin < y.begin; });
    std::int64_t end = 0;
    for (const Range& each : rows) end = each.begin == end ? each.end : -1;
    if (end != b.shape()[0])
      refuse(options,
             fmt::format("{} has partial sums: the PEs that hold a part of it have to hold "
                         "disjoint rows of {} that make up all {}",
                         text_of(out), text_of(b), b.shape()[0]));
  }
}

std::int64_t rounded_down(std::int64_t value, std::int64_t multiple) {
  return value < multiple ? value : value / multiple * multiple;
}

constexpr std::int64_t whole_tile = 32;

// Largest block of the result of a PE, and the tiles of its composites.
struct Blocking {
  TileShape block, tile;
};

// TCM: two panels of a and, if parts of K are added, two sums; each has a sixth of the scratch at
// most. Register file: two tiles of a and b each, the sum and its addend. Tall tiles read b less
// often.
Blocking blocking_of(const MachineDescription& machine, const Tensor& a, const Tensor& b,
                     const Tensor& out) {
  const auto size = static_cast<std::int64_t>(std::max(size_of(a.dtype()), size_of(b.dtype())));
  const Shape& part = out.info()->blocks.front().shape;  // the largest one
  const std::int64_t room = static_cast<std::int64_t>(machine.scratch_bytes) / 6 / size,
                     M = part[0], N = part[1], K = a.shape()[1];
  Blocking made;
  TileShape& block = made.block;
  block.k = std::min(K, rounded_down(room / std::min(M, whole_tile), 64));
  block.m = std::min(M, rounded_down(room / block.k, whole_tile));
  block.n = std::min(N, rounded_down(room * size / 4 / block.m, whole_tile));

  constexpr std::int64_t register_bytes = 64 * 1024;
  TileShape& tile = made.tile;
  tile.n = std::min<std::int64_t>(block.n, 128);
  const auto depth = [&](std::int64_t m) {
    return (register_bytes - 2 * m * tile.n * 4) / (2 * (m + tile.n) * size);
  };
  tile.m = std::min(block.m, whole_tile);
  while (tile.m * 2 <= block.m && depth(tile.m * 2) >= 64) tile.m *= 2;
  tile.k = std::min(block.k, rounded_down(std::min<std::int64_t>(depth(tile.m), 1024), 64));
  return made;
}

}  // namespace

void matmul(Torch& torch, const Tensor& a, const Tensor& b, const Tensor& out,
            const MatmulOptions& options) {
  check_shapes(a, b, out, options);
  if (out.shape().elements() == 0) return;
  check_values(a, b, out, options);
  if (out.is_partial()) check_summands(b, out, options);
  const auto [block, tile] = blocking_of(torch.spec(), a, b, out);
  const auto narrow = [](std::int64_t extent) { return static_cast<int>(extent); };
  const int activation = static_cast<int>(options.activation);
  const LaunchSpec launch = launch_on_holders(options.name, {out});
  if (options.bias) {
    torch.launch(launch, linear_kernel, a, b, *options.bias, out, narrow(block.m), narrow(block.k),
                 narrow(block.n), narrow(tile.m), narrow(tile.k), narrow(tile.n), activation);
  } else {
    torch.launch(launch, matmul_kernel, a, b, out, narrow(block.m), narrow(block.k),
                 narrow(block.n), narrow(tile.m), narrow(tile.k), narrow(tile.n), out.is_partial(),
                 activation);
  }
}

}  // namespace kernbench::ops
