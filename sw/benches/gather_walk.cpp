// gather-walk: one PE follows a linked list in memory and gathers the visited rows.
#include <algorithm>
#include <numeric>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// Walks from node `start` along next[node] until that is negative: each address, and the number of
// steps, depends on the value loaded before. The rows of `table` are stored to `out` in the order
// of the walk, their sum to `total`{1, width}. One program; next is i32{nodes}. Needs a run with
// data.
void gather_walk(tl::Program& tl, tl::Tensor next, tl::Tensor table, tl::Tensor out,
                 tl::Tensor total, std::int64_t start) {
  const std::int64_t width = table.shape()[1];
  const std::int64_t row_bytes = width * static_cast<std::int64_t>(size_of(table.dtype()));
  tl::Handle sum = tl.zeros({1, width}, total.dtype());
  std::int64_t node = start;
  for (std::int64_t step = 0; node >= 0; ++step) {
    const tl::Handle row = tl.load(table + node * row_bytes, {1, width}, table.dtype());
    tl.store(out + step * row_bytes, row);
    sum = sum + row;
    const tl::Handle link =
        tl.load(next + node * static_cast<std::int64_t>(size_of(i32)), {1}, i32);
    node = static_cast<std::int64_t>(link.item());
  }
  tl.store(total, sum);
}

// --- on the host

// Nodes in random order: sorted by random keys, equal ones by index.
std::vector<std::int64_t> random_order(Torch& torch, std::int64_t nodes) {
  const std::vector<double> keys = torch.random({nodes}, f32).values();
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  return order;
}

// Links each node of `walk` to the next, the last one to -1; nodes outside the walk link to
// themselves, and no walk reaches them.
HostArray links(const std::vector<std::int64_t>& walk, std::int64_t nodes) {
  std::vector<double> next(static_cast<std::size_t>(nodes));
  std::iota(next.begin(), next.end(), 0.0);
  for (std::size_t i = 0; i < walk.size(); ++i)
    next[static_cast<std::size_t>(walk[i])] =
        i + 1 < walk.size() ? static_cast<double>(walk[i + 1]) : -1;
  return HostArray({nodes}, i32, next);
}

std::vector<double> gathered(const HostArray& table, const std::vector<std::int64_t>& walk) {
  const std::vector<double> values = table.values();
  const std::int64_t width = table.shape()[1];
  std::vector<double> rows;
  for (const std::int64_t node : walk)
    rows.insert(rows.end(), values.begin() + node * width, values.begin() + (node + 1) * width);
  return rows;
}

std::vector<double> sum_of_rows(const std::vector<double>& rows, std::int64_t width) {
  std::vector<double> sums(static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i % sums.size()] += rows[i];
  return sums;
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t nodes = given.integer("nodes"), width = given.integer("width"),
                     steps = std::min(given.integer("steps"), nodes);
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, nodes);
  std::vector<std::int64_t> walk = random_order(torch, nodes);
  walk.resize(static_cast<std::size_t>(steps));

  const Input table = random_input(torch, {nodes, width}, dtype, rows_over(pes), "table");
  const Tensor next = torch.from_host(links(walk, nodes), rows_over(pes), "next");
  const Tensor out = torch.empty({steps, width}, dtype, DPPolicy::on_one_pe(), "out"),
               total = torch.empty({1, width}, is_float(dtype) ? f32 : i32, DPPolicy::on_one_pe(),
                                   "total");
  torch.launch(LaunchSpec("gather_walk").on_pe(0), gather_walk, next, table.tensor, out, total,
               walk.front());
  torch.verify(out, [table = table.host, walk] { return gathered(*table, walk); });
  torch.verify(total, [table = table.host, walk, width] {
    return sum_of_rows(gathered(*table, walk), width);
  });
}

}  // namespace

void register_gather_walk(BenchRegistry& registry) {
  Bench bench{"gather-walk",
              "One PE follows a linked list in HBM and gathers the rows that it meets",
              {extent("nodes", "nodes of the list, each with a row", 64),
               extent("width", "elements of a row", 64),
               extent("steps", "length of the walk; at most the number of nodes", 32),
               any_dtype("element type of the rows"), shared_by_pes("nodes")},
              &run,
              &first_cubes};
  bench.needs_data = DataMode::deferred;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
