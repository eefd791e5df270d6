// split-k-gemm: out{M, N} = a{M, K} b{K, N} with a large K and a result too small to distribute
// over PEs. Each PE has a part of K and computes a partial sum of the whole result; messages
// collect the parts of a chunk, or atomic accesses add them in memory.
#include <algorithm>
#include <string>
#include <utility>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/collectives/neighbour_graph.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

std::string direction_to(int pe) { return "pe" + std::to_string(pe); }

// First element of chunk i of `count` chunks of the result.
std::int64_t chunk_begin(std::int64_t elements, int i, int count) { return elements * i / count; }

// PE i adds and stores chunk i of the result: every PE sends every other PE its part of that chunk.
// Each PE moves (PEs - 1) / PEs of a result, and waits for messages once.
void reduce_and_store(tl::Program& tl, const tl::Handle& partial, const tl::Tensor& out) {
  const int pes = tl.num_programs(0), me = tl.program_id(0);
  const tl::Handle flat = tl.ravel(partial);
  const std::int64_t elements = flat.shape()[0];
  const auto chunk = [&](int i) {
    return tl.slice(flat, chunk_begin(elements, i, pes), chunk_begin(elements, i + 1, pes));
  };
  for (int step = 1; step < pes; ++step) {  // different receivers for the senders at any time
    const int to = (me + step) % pes;
    tl.send(direction_to(to), chunk(to));
  }
  tl::Handle sum = chunk(me);
  for (int step = 1; step < pes; ++step) {
    const int from = (me + pes - step) % pes;
    sum = sum + tl.recv(direction_to(from), sum.shape(), sum.dtype());
  }
  const auto size = static_cast<std::int64_t>(size_of(out.dtype()));
  tl.store(out + chunk_begin(elements, me, pes) * size, tl.cast(sum, out.dtype()));
}

DType sum_dtype(const tl::Tensor& a) { return is_float(a.dtype()) ? f32 : i32; }

// b is streamed in blocks of `block_k` rows, the next one loaded concurrently with the current
// product; PE_GEMM accumulates. The columns of a are loaded `panel_k` at a time, a multiple of
// block_k: a few columns would be short runs at a large pitch, which map to few channels of the
// HBM. Called within an Overlap.
tl::Handle partial_product(tl::Program& tl, const tl::Tensor& a, const tl::Tensor& b, int block_k,
                           int panel_k) {
  const std::int64_t M = a.local_shape()[0], depth = a.local_shape()[1], N = b.local_shape()[1];
  const auto panels = tl.make_tensor_descriptor(a.local(), {M, depth}, {depth, 1}, {M, panel_k});
  const auto blocks = tl.make_tensor_descriptor(b.local(), {depth, N}, {N, 1}, {block_k, N});

  tl::Handle sum = tl.zeros({M, N}, sum_dtype(a));
  tl::Handle panel, next = blocks.load_async({0, 0});
  for (std::int64_t k = 0; k < depth; k += block_k) {
    if (k % panel_k == 0) panel = panels.load_async({0, k});
    const tl::Handle now = next;
    if (k + block_k < depth) next = blocks.load_async({k + block_k, 0});
    const tl::Handle columns = tl.slice(panel, 1, k % panel_k, k % panel_k + block_k);
    sum = tl.dot(columns, now, std::move(sum));
  }
  return sum;
}

void split_k_gemm(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int block_k,
                  int panel_k) {
  const tl::Overlap overlap(tl);
  reduce_and_store(tl, partial_product(tl, a, b, block_k, panel_k), out);
}

// Equivalent of Triton's SPLIT_K: `out` must be zero before. No messages; in f32 the last bits
// depend on the order of service.
void split_k_atomics(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int block_k,
                     int panel_k) {
  const tl::Overlap overlap(tl);
  tl.atomic_add(out, partial_product(tl, a, b, block_k, panel_k));
}

// One composite instead of the loop: PE_SCHEDULER makes the tiles. Tiles larger than its default,
// which still fit the register file, read a less often.
void split_k_composite(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int block_k) {
  const std::int64_t tile_k = std::min<std::int64_t>(block_k, 256 / size_of(a.dtype()));
  const tl::Composite product = tl.composite(tl::gemm(tl.ref(a.local(), a.local_shape(), a.dtype()),
                                                      tl.ref(b.local(), b.local_shape(), b.dtype()))
                                                 .as(sum_dtype(a))
                                                 .tile({32, tile_k, 128}));
  tl.wait(product);
  reduce_and_store(tl, product.result(), out);
}

// Variant with dense blocking loads only: whole a, its columns as rows of its transpose; sums on
// PE_MATH.
void split_k_detour(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int block_k) {
  const std::int64_t depth = a.local_shape()[1], M = a.local_shape()[0], N = b.local_shape()[1];
  const tl::Handle a_rows = tl.trans(tl.load(a.local(), a.local_shape(), a.dtype()));
  tl::Handle sum = tl.zeros({M, N}, sum_dtype(a));
  for (std::int64_t k = 0; k < depth; k += block_k) {
    const std::int64_t count = std::min<std::int64_t>(block_k, depth - k);
    const auto at = k * N * static_cast<std::int64_t>(size_of(b.dtype()));
    const tl::Handle block = tl.load(b.local() + at, {count, N}, b.dtype());
    sum = sum + tl.dot(tl.trans(tl.slice(a_rows, k, k + count)), block, sum_dtype(a));
  }
  reduce_and_store(tl, sum, out);
}

// --- on the host

// Queue pairs from every PE to every other one; slots hold a chunk.
void connect_all(Torch& torch, int pes, std::uint64_t chunk_bytes) {
  if (pes == 1) return;
  NeighbourGraph graph;
  for (int from = 0; from < pes; ++from) {
    for (int to = 0; to < pes; ++to) {
      if (to != from) graph.connect({this_device, 0, from}, direction_to(to), {this_device, 0, to});
    }
  }
  IpcqSettings settings;
  settings.slot_size = chunk_bytes;
  settings.n_slots = 1;
  torch.ipcq.install(graph, settings);
}

constexpr std::uint64_t panel_bytes = 128 * 1024;  // panel of a; at most three in the scratch

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t M = given.integer("M"), N = given.integer("N"), K = given.integer("K");
  const std::string& form = given.text("form");
  const bool by_atomics = form == "atomics";
  const DType dtype = parse_dtype(given.text("dtype"));
  const DType out_dtype = !is_float(dtype) ? i32 : by_atomics ? f32 : dtype;
  const int pes = parts(torch, std::min(K, M * N));  // no PE without a part of K, or of the result
  const Input a = random_input(torch, {M, K}, dtype, columns_over(pes), "a"),
              b = random_input(torch, {K, N}, dtype, rows_over(pes), "b");
  const DPPolicy out_rows = rows_over(static_cast<int>(std::min<std::int64_t>(pes, M)));
  const Tensor out = by_atomics ? torch.zeros({M, N}, out_dtype, out_rows, "out")
                                : torch.empty({M, N}, out_dtype, out_rows, "out");
  if (!by_atomics) {
    const std::int64_t chunk = tl::Program::cdiv(M * N, pes);
    connect_all(torch, pes, static_cast<std::uint64_t>(chunk) * size_of(f32));
  }

  const LaunchSpec launch = launch_on_first("split_k", pes);
  const int block_k =
      static_cast<int>(std::min<std::int64_t>(given.integer("block_k"), tl::Program::cdiv(K, pes)));
  if (form == "blocks" || by_atomics) {
    const std::uint64_t column_bytes = static_cast<std::uint64_t>(M * block_k) * size_of(dtype);
    const int panel_k = block_k * rows_within(tl::Program::cdiv(tl::Program::cdiv(K, pes), block_k),
                                              column_bytes, panel_bytes);
    torch.launch(launch, by_atomics ? split_k_atomics : split_k_gemm, a.tensor, b.tensor, out,
                 block_k, panel_k);
  } else {
    torch.launch(launch, form == "composite" ? split_k_composite : split_k_detour, a.tensor,
                 b.tensor, out, block_k);
  }
  // Sums of fewer than 2^15 products of the inputs are exact: the rounding to the dtype is the only
  // one. Longer sums round once per block and once per PE.
  const bool exact = !is_float(dtype) || K < (1 << 15);
  torch.verify(
      out, [a = a.host, b = b.host] { return reference::matmul(*a, *b); },
      exact || out_dtype != f32 ? 1 : static_cast<double>(tl::Program::cdiv(K, block_k) + pes));
}

}  // namespace

void register_split_k_gemm(BenchRegistry& registry) {
  registry.add(
      {"split-k-gemm",
       "Matrix product of a large K, which PEs share; each adds a chunk of the partial sums",
       {extent("M", "rows of a and of the result; the result in f32 must fit the scratch", 32),
        extent("N", "columns of b and of the result", 128),
        extent("K", "columns of a, rows of b", 8192),
        any_dtype("element type of a and b; the product of integers is i32"),
        shared_by_pes("columns of a"),
        Parameter::integer("block_k", "rows of b in a block", "", "spec 10.3")
            .default_val(128)
            .range("1", "65536"),
        choice("form",
               "blocks: double-buffered loads and products that add; composite: tiles of "
               "PE_SCHEDULER; atomics: as blocks, partial sums are added in memory to a result of "
               "f32 or i32; detour: dense blocking loads, sums on PE_MATH",
               {"blocks", "composite", "atomics", "detour"})},
       &run,
       &first_cubes});
}

}  // namespace kernbench::benches
