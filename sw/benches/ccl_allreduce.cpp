// ccl-allreduce: all_reduce of a tensor over all SIPs, by the algorithm and over the rings that
// ccl.yaml or the parameters choose. Rank r is filled with r + 1; where sums of that are more than
// an element holds exactly, with -2, -1, 0, 1, 2 in turn.
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

// Input values of the ranks, and the result expected from them.
class Fill {
 public:
  Fill(int ranks, DType dtype)
      : ranks_(ranks), dtype_(dtype),
        ascending_(0.5 * ranks * (ranks + 1) <= reference::exact_up_to(dtype)) {}

  int of(int rank) const { return ascending_ ? rank + 1 : rank % 5 - 2; }
  // Of all ranks, each as often as the result combines shards of a rank.
  double combined(ReduceOp op, int shards) const {
    double sum = 0, least = of(0), most = of(0);
    for (int rank = 0; rank < ranks_; ++rank) {
      sum += of(rank);
      least = std::min<double>(least, of(rank));
      most = std::max<double>(most, of(rank));
    }
    if (op == ReduceOp::max) return most;
    if (op == ReduceOp::min) return least;
    if (op == ReduceOp::avg) return is_float(dtype_) ? sum / ranks_ : std::nearbyint(sum / ranks_);
    return sum * shards;
  }
  // Whatever the order: what is not ascending stays small wherever ranks are combined that follow
  // one another.
  bool exact(int shards) const {
    return ascending_ ? combined(ReduceOp::sum, shards) <= reference::exact_up_to(dtype_)
                      : shards == 1;
  }

 private:
  int ranks_;
  DType dtype_;
  bool ascending_;
};

void worker(Torch& torch, int rank) {
  torch.ahbm.set_device(rank);
  Distributed& dist = torch.distributed;
  dist.init_process_group("ahbm", changes_of(torch.parameters()));

  const CollectiveAlgorithm& algorithm = dist.algorithm();
  const DType dtype = parse_dtype(torch.parameters().text("dtype"));
  const ReduceOp op = parse_reduce_op(torch.parameters().text("op"));
  const int ranks = dist.get_world_size();
  // A rank that is a PE has one shard.
  const bool of_sips = dist.settings().rank_unit == RankUnit::sip;
  const int cubes = of_sips ? torch.spec().cubes() : 1,
            pes = of_sips && algorithm.every_pe ? torch.spec().pes : 1;
  const int shards = cubes * pes;
  const std::int64_t n_elem = dist.settings().n_elem;
  const DPPolicy a_row_per_pe{Placement::row_wise, Placement::row_wise, cubes, pes};
  const Fill fill(ranks, dtype);
  const Tensor data = torch.full({shards, n_elem}, fill.of(rank), dtype, a_row_per_pe, "data");

  dist.barrier();
  dist.all_reduce(data, op);

  const int combines = algorithm.combines_shards ? shards : 1;
  const double expected = fill.combined(op, combines);
  const int roundings = fill.exact(combines) ? 1 : ranks + shards;  // at most, one after the other
  torch.verify(
      data,
      [=] { return std::vector<double>(static_cast<std::size_t>(shards * n_elem), expected); },
      roundings);
}

void run(Torch& torch) {
  torch.multiprocessing.spawn([&torch](int rank) { worker(torch, rank); },
                              torch.distributed.ranks_to_spawn(changes_of(torch.parameters())));
}

}  // namespace

void register_ccl_allreduce(BenchRegistry& registry) {
  std::vector<std::string> algorithms = registry.algorithms().names(CollectiveOp::all_reduce),
                           kinds{"tcm", "sram", "hbm"};
  algorithms.insert(algorithms.begin(), as_ccl_says);
  kinds.insert(kinds.begin(), as_ccl_says);
  Bench bench{
      "ccl-allreduce",
      "All-reduce over all SIPs, a shard on each cube; algorithm and rings as ccl.yaml says",
      {Parameter::integer("n_elem", "elements per shard; 0: as ccl.yaml says", "", "spec 10.3")
           .default_val(0)
           .range("0", "16777216"),
       Parameter::choice("algorithm", "of all_reduce (kernbench list algorithms)", algorithms,
                         "spec 8.2")
           .default_val(as_ccl_says),
       Parameter::choice("buffer_kind", "where the rings lie", kinds, "spec 8.2")
           .default_val(as_ccl_says),
       Parameter::choice("dtype", "of the elements", {"f16", "bf16", "f32", "i32"}, "spec 8.3")
           .default_val("f16"),
       // Products of as many shards fit no element.
       Parameter::choice("op", "the reduction", {"sum", "max", "min", "avg"}, "spec 8.3")
           .default_val("sum")},
      &run};
  bench.per_device = false;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
