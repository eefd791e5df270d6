// ccl-allreduce: all_reduce of a tensor over all SIPs, by the algorithm and over the rings that
// ccl.yaml or the parameters choose. The value of rank r is r + 1, or cycles through -2, -1, 0, 1,
// 2 if an element cannot hold the sums exactly. By default PE 0 of every cube has a partial sum of
// the tensor (every PE, for an algorithm with levels down to the PEs).
#include <algorithm>
#include <cmath>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench::benches {
namespace {

constexpr const char* as_ccl_says = "ccl.yaml";

// Settings that differ from ccl.yaml.
CclChanges changes_of(const Attributes& given) {
  CclChanges changes;
  for (const char* key : {"algorithm", "buffer_kind"}) {
    if (given.text(key) != as_ccl_says) changes.emplace_back(key, given.text(key));
  }
  if (given.integer("n_elem") != 0)
    changes.emplace_back("n_elem", std::to_string(given.integer("n_elem")));
  return changes;
}

// Input values of the ranks and the expected result.
class Fill {
 public:
  Fill(int ranks, DType dtype)
      : ranks_(ranks), dtype_(dtype),
        ascending_(0.5 * ranks * (ranks + 1) <= reference::exact_up_to(dtype)) {}

  int of(int rank) const { return ascending_ ? rank + 1 : rank % 5 - 2; }
  // Combined value of all ranks.
  double combined(ReduceOp op) const {
    double sum = 0, least = of(0), most = of(0);
    for (int rank = 0; rank < ranks_; ++rank) {
      sum += of(rank);
      least = std::min<double>(least, of(rank));
      most = std::max<double>(most, of(rank));
    }
    if (op == ReduceOp::max) return most;
    if (op == ReduceOp::min) return least;
    if (op == ReduceOp::avg) return is_float(dtype_) ? sum / ranks_ : std::trunc(sum / ranks_);
    return sum;
  }

 private:
  int ranks_;
  DType dtype_;
  bool ascending_;
};

// Partial sums that add up to 1 for any number of holders. Sums over consecutive holders stay
// small, so that they are exact in every element type.
int share(int holder, int holders) {
  if (holder == 0) return holders % 2 == 0 ? 2 : 1;
  return holder % 2 == 1 ? -1 : 1;
}

// One row per PE that holds data, or one row that all PEs share.
Tensor make(Torch& torch, const std::string& placement, int cubes, int pes, std::int64_t n_elem,
            DType dtype, int value) {
  const int holders = cubes * pes;
  if (placement != "partial") {
    const Placement each = placement == "cut" ? Placement::row_wise : Placement::replicate;
    const std::int64_t rows = placement == "cut" ? holders : 1;
    return torch.full({rows, n_elem}, value, dtype, {each, each, cubes, pes}, "data");
  }
  std::vector<HostArray> parts;
  for (int holder = 0; holder < holders; ++holder)
    parts.push_back(HostArray::full({1, n_elem}, dtype, value * share(holder, holders)));
  const DPPolicy partial{Placement::partial, Placement::partial, cubes, pes};
  return torch.from_local(parts, {1, n_elem}, partial, "data");
}

void worker(Torch& torch, int rank) {
  torch.ahbm.set_device(rank);
  Distributed& dist = torch.distributed;
  dist.init_process_group("ahbm", changes_of(torch.parameters()));

  const DType dtype = parse_dtype(torch.parameters().text("dtype"));
  const ReduceOp op = parse_reduce_op(torch.parameters().text("op"));
  const int ranks = dist.get_world_size();
  // With rank_unit pe, a rank holds all of its tensor.
  const bool of_sips = dist.settings().rank_unit == RankUnit::sip;
  const bool every_pe = !dist.settings().chooses() && dist.algorithm().every_pe;
  const int cubes = of_sips ? torch.spec().cubes() : 1,
            pes = of_sips && every_pe ? torch.spec().pes : 1;
  const Fill fill(ranks, dtype);
  const Tensor data = make(torch, torch.parameters().text("placement"), cubes, pes,
                           dist.settings().n_elem, dtype, fill.of(rank));

  dist.barrier();
  dist.all_reduce(data, op);

  const auto elements = static_cast<std::size_t>(data.shape().elements());
  torch.verify(data, [elements, expected = fill.combined(op)] {
    return std::vector<double>(elements, expected);
  });
}

void run(Torch& torch) {
  torch.multiprocessing.spawn([&torch](int rank) { worker(torch, rank); },
                              torch.distributed.ranks_to_spawn(changes_of(torch.parameters())));
}

}  // namespace

void register_ccl_allreduce(BenchRegistry& registry) {
  std::vector<std::string> algorithms = registry.algorithms().names(CollectiveOp::all_reduce),
                           kinds{"tcm", "sram", "hbm"};
  algorithms.insert(algorithms.begin(), {as_ccl_says, automatic});
  kinds.insert(kinds.begin(), as_ccl_says);
  Bench bench{
      "ccl-allreduce",
      "All-reduce over all SIPs, a part on each cube; algorithm and rings from ccl.yaml",
      {Parameter::integer("n_elem", "elements on each PE that takes part; 0: n_elem of ccl.yaml",
                          "", "spec 10.3")
           .default_val(0)
           .range("0", "16777216"),
       choice("placement",
              "data of the participating PEs of a SIP: partial sums of one row, "
              "copies of it, or a row each",
              {"partial", "replicate", "cut"}, "spec 7"),
       Parameter::choice("algorithm", "algorithm of all_reduce (kernbench list algorithms)",
                         algorithms, "spec 8.2")
           .default_val(as_ccl_says),
       Parameter::choice("buffer_kind", "memory of the rings", kinds, "spec 8.2")
           .default_val(as_ccl_says),
       choice("dtype", "element type", {"f16", "bf16", "f32", "i32"}, "spec 8.3"),
       // prod is excluded: a product over all shards exceeds the range of the elements.
       choice("op", "the reduction", {"sum", "max", "min", "avg"}, "spec 8.3")},
      &run};
  bench.per_device = false;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
