#include "sw/ops/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "sw/ops/copy.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/program.h"

namespace kernbench::ops {
namespace {

// --- on each PE

// A composite: rows x columns of the result, of a part of K.
struct Step {
  Range rows, columns, k;
  bool first_k = true, last_k = true;
};

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

// Tiles of the largest part of the result: operands of a composite, and tiles within it.
struct Blocking {
  TileShape block, tile;
};

struct PartOfProduct {
  Blocking blocking;
  bool partial = false;
  Activation activation = Activation::none;
  std::int64_t first_row = 0;  // row of a of which row 0 of the result is the product
};

// The panel of the next step is loaded concurrently with the composites of this one. Sums over
// parts of K stay in TCM, in f32 or i32: each part adds the previous ones in its epilogue.
void multiply(tl::Program& tl, const tl::Tensor& a_argument, const tl::Tensor& b_argument,
              const tl::Tensor* bias, const tl::Tensor& out, const PartOfProduct& part) {
  if (!out.has_local()) return;
  const PlacedMatrix a(tl, a_argument), b(tl, b_argument), result(tl, out);
  const Range k = part.partial ? local_rows(b_argument) : Range{0, b.rows()};
  const std::vector<Step> steps =
      steps_of(b, local_rows(out), local_columns(out), k, part.blocking.block);
  const DType sum_dtype = is_float(out.dtype()) ? DType::f32 : DType::i32;

  const auto panel_of = [&](const Step& step) {
    return a.load_async({part.first_row + step.rows.begin, part.first_row + step.rows.end}, step.k);
  };
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
      for (const tl::EpilogueEntry& entry : epilogue_of(part.activation)) epilogue.push_back(entry);
      product.to(result.at(step.rows, step.columns));
    } else {
      product.as(sum_dtype);
    }
    const tl::Composite composite =
        tl.composite(product.epilogue(epilogue).tile(part.blocking.tile));
    if (!step.last_k) sum = composite.result();
  }
  tl.wait();
}

// --- on the host

[[noreturn]] void refuse(const MatmulOptions& options, const std::string& reason) {
  throw UsageError(fmt::format("{}: {}", options.name, reason));
}

Range rows_of(const Tensor& a, const MatmulOptions& options) {
  return options.rows.value_or(Range{0, a.shape()[0]});
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
  const Range rows = rows_of(a, options);
  if (rows.begin < 0 || rows.begin > rows.end || rows.end > a.shape()[0])
    refuse(options, fmt::format("rows {} to {} of {}, allowed: 0 to {}", rows.begin, rows.end,
                                text_of(a), a.shape()[0]));
  const Shape expected{rows.size(), b.shape()[1]};
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

// A multiple, or the value itself if it is less; at least 1.
std::int64_t rounded_down(std::int64_t value, std::int64_t multiple) {
  return value < multiple ? std::max<std::int64_t>(value, 1) : value / multiple * multiple;
}

std::int64_t register_bytes_of(const MachineDescription& machine, PeId where) {
  const Attributes& gateway = machine.attributes(machine.engine(where, PeEngine::pe_fetch_store));
  static constexpr const char* key = "register_file_bytes";
  return gateway.has(key) ? gateway.integer(key) : 64 * 1024;
}

// Register file: two tiles of a and b each, the sum and its addend. Tall tiles read b less often.
TileShape tile_of(const TileShape& block, std::int64_t size, std::int64_t register_bytes) {
  const auto depth = [&](std::int64_t m, std::int64_t n) {
    return (register_bytes - 2 * m * n * 4) / (2 * (m + n) * size);
  };
  TileShape tile{std::min(block.m, matmul_block_rows), 0, std::min<std::int64_t>(block.n, 128)};
  while (tile.n > 8 && depth(tile.m, tile.n) < 16) tile.n /= 2;
  for (std::int64_t m = tile.m * 2; m <= block.m && depth(m, tile.n) >= 64; m *= 2) tile.m = m;
  tile.k = std::min(block.k, rounded_down(std::min<std::int64_t>(depth(tile.m, tile.n), 1024), 64));
  return tile;
}

// TCM: two panels of a and, if parts of K are added, two sums; each has a sixth of the scratch at
// most. Without such sums a step has all columns: blocks of some columns of wide rows would be
// short runs at a large pitch, which map to few channels of the HBM.
Blocking blocking_of(const MachineDescription& machine, const Tensor& a, const Tensor& b,
                     const Tensor& out) {
  const auto size = static_cast<std::int64_t>(std::max(size_of(a.dtype()), size_of(b.dtype())));
  const tl::Block& part = out.info()->blocks.front();  // the largest one
  const std::int64_t room_bytes = static_cast<std::int64_t>(machine.scratch_bytes) / 6,
                     room = room_bytes / size, M = part.shape[0], N = part.shape[1],
                     rows_of_b = b.info()->blocks.front().shape[0],
                     K = out.is_partial() ? rows_of_b : a.shape()[1];
  TileShape block;
  block.k = std::min(K, rounded_down(room / std::min(M, matmul_block_rows), 64));
  block.m = std::min(M, rounded_down(room / block.k, matmul_block_rows));
  const bool adds = std::min(block.k, rows_of_b) < K;
  block.n = std::min(N, adds ? rounded_down(room_bytes / 4 / block.m, 128) : room);
  return {block, tile_of(block, size, register_bytes_of(machine, part.where))};
}

// Every PE of several in a cube needs all of these rows of a, which are spread over cubes.
bool shares_remote_rows(const Tensor& a, const Tensor& out) {
  const std::vector<tl::Block>& parts = out.info()->blocks;
  return a.policy().cube.cuts() && !out.is_partial() && parts.front().shape[0] == out.shape()[0] &&
         parts.size() > 1 && parts[1].where.cube == parts[0].where.cube;
}

// A copy of these rows of a for each cube, its columns over the PEs of the cube.
Tensor copy_for_each_cube(Torch& torch, const Tensor& a, const Range& rows,
                          std::optional<int> cubes, int pes) {
  const auto parts = std::min<std::int64_t>(pes, a.shape()[1]);
  const DPPolicy policy{Placement::replicate, Placement::column_wise, cubes,
                        static_cast<int>(parts)};
  const Tensor copy = torch.empty({rows.size(), a.shape()[1]}, a.dtype(), policy, a.name());
  slice(torch, a, {rows.begin, 0}, copy);
  return copy;
}

}  // namespace

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

void matmul(Torch& torch, const Tensor& given, const Tensor& b, const Tensor& out,
            const MatmulOptions& options) {
  check_shapes(given, b, out, options);
  if (out.shape().elements() == 0) return;
  check_values(given, b, out, options);
  if (out.is_partial()) check_summands(b, out, options);
  const Range rows = rows_of(given, options);
  const bool copies = shares_remote_rows(given, out);
  const Tensor a = copies ? copy_for_each_cube(torch, given, rows, out.policy().num_cubes,
                                               out.policy().num_pes.value_or(torch.spec().pes))
                          : given;
  const PartOfProduct part{blocking_of(torch.spec(), a, b, out), out.is_partial(),
                           options.activation, copies ? 0 : rows.begin};
  const auto multiply_part = [part](tl::Program& tl, const tl::Tensor& left,
                                    const tl::Tensor& right, const tl::Tensor* bias,
                                    const tl::Tensor& result) {
    multiply(tl, left, right, bias, result, part);
  };
  const LaunchSpec launch = launch_on_holders(options.name, {out});
  if (options.bias) {
    const auto kernel = [multiply_part](tl::Program& tl, tl::Tensor left, tl::Tensor right,
                                        tl::Tensor bias, tl::Tensor result) {
      multiply_part(tl, left, right, &bias, result);
    };
    torch.launch(launch, kernel, a, b, *options.bias, out);
  } else {
    const auto kernel = [multiply_part](tl::Program& tl, tl::Tensor left, tl::Tensor right,
                                        tl::Tensor result) {
      multiply_part(tl, left, right, nullptr, result);
    };
    torch.launch(launch, kernel, a, b, out);
  }
}

Tensor operand_of_products(Torch& torch, const Tensor& a, const PeGrid& grid) {
  if (!a.policy().cube.cuts() || grid.pes == 1) return a;
  return copy_for_each_cube(torch, a, {0, a.shape()[0]}, grid.cubes, grid.pes);
}

}  // namespace kernbench::ops
