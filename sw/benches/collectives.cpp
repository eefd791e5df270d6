// collectives: every collective between all ranks, by size, as nccl-tests run them: on PE 0 of cube
// 0 of each SIP.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"

namespace kernbench::benches {
namespace {

// Element i of a tensor is that of number i mod 5.
using Pattern = std::array<double, 5>;

// One size: every op on tensors of its own, each verified. A rank's data are numbered by the rank,
// a part of them by its sender and receiver, and each number has a pattern of its own.
class Round {
 public:
  Round(Torch& torch, int rank, std::int64_t elements)
      : torch_(torch), dist_(torch.distributed), rank_(rank), ranks_(dist_.get_world_size()),
        elements_(elements), part_(std::max<std::int64_t>(1, elements / ranks_)),
        dtype_(parse_dtype(torch.parameters().text("dtype"))),
        ascending_(1.5 * ranks_ * ranks_ + 4.0 * ranks_ <= reference::exact_up_to(dtype_)) {}

  void run(const std::string& op) {
    dist_.barrier();
    const int last = ranks_ - 1;
    if (op == "all_reduce") {
      const Tensor data = tensor(elements_, summand(rank_), op);
      dist_.all_reduce(data);
      verify(data, sum(0));
    } else if (op == "broadcast") {
      const Tensor data = tensor(elements_, moved(rank_), op);
      dist_.broadcast(data, last);
      verify(data, moved(last));
    } else if (op == "reduce") {
      const Tensor data = tensor(elements_, summand(rank_), op);
      dist_.reduce(data, last);
      verify(data, rank_ == last ? sum(0) : summand(rank_));
    } else if (op == "all_gather") {
      const std::vector<Tensor> gathered = blank(op);
      dist_.all_gather(gathered, tensor(part_, moved(rank_), "part"));
      verify_all(gathered, [](int from) { return moved(from); });
    } else if (op == "reduce_scatter") {
      const Tensor part = tensor(part_, moved(0), op);
      dist_.reduce_scatter(part, parts([&](int to) { return summand(rank_ + to); }, "for"));
      verify(part, sum(rank_));
    } else if (op == "all_to_all") {
      const std::vector<Tensor> received = blank(op);
      dist_.all_to_all(received, parts([&](int to) { return moved(ranks_ * rank_ + to); }, "for"));
      verify_all(received, [&](int from) { return moved(ranks_ * from + rank_); });
    } else if (op == "gather") {
      const std::vector<Tensor> gathered = rank_ == last ? blank(op) : std::vector<Tensor>();
      dist_.gather(tensor(part_, moved(rank_), "part"), gathered, last);
      verify_all(gathered, [](int from) { return moved(from); });
    } else if (op == "scatter") {
      const auto for_each_rank = [&] { return parts([](int to) { return moved(to + 1); }, "for"); };
      const Tensor part = tensor(part_, moved(0), op);
      dist_.scatter(part, rank_ == last ? for_each_rank() : std::vector<Tensor>(), last);
      verify(part, moved(rank_ + 1));
    } else if (ranks_ > 1 && (rank_ == 0 || rank_ == last)) {
      const Tensor data = tensor(elements_, moved(rank_), op);
      rank_ == 0 ? dist_.send(data, last) : dist_.recv(data, 0);
      verify(data, moved(0));
    }
  }

 private:
  // Exact in every element type.
  static Pattern moved(int number) {
    const double first = number % 251;
    return {first, first + 1, first + 2, first + 3, first + 4};
  }

  // Exact when added up, in any order; of many ranks because the sum stays small wherever ranks are
  // added that follow one another.
  Pattern summand(int number) const {
    Pattern pattern{};
    for (int i = 0; i < 5; ++i)
      pattern.at(static_cast<std::size_t>(i)) = ascending_ ? number + i : (number + i) % 5 - 2;
    return pattern;
  }

  // Of the summands of all ranks, each numbered `more` higher.
  Pattern sum(int more) const {
    Pattern total{};
    for (int rank = 0; rank < ranks_; ++rank) {
      const Pattern added = summand(rank + more);
      for (std::size_t i = 0; i < total.size(); ++i) total.at(i) += added.at(i);
    }
    return total;
  }

  static std::vector<double> values(std::int64_t elements, const Pattern& pattern) {
    std::vector<double> all;
    for (std::int64_t i = 0; i < elements; ++i)
      all.push_back(pattern.at(static_cast<std::size_t>(i) % pattern.size()));
    return all;
  }

  Tensor tensor(std::int64_t elements, const Pattern& pattern, const std::string& name) {
    Tensor tensor;
    torch_.untimed([&] {
      tensor = torch_.from_host(HostArray({elements}, dtype_, values(elements, pattern)),
                                DPPolicy::on_one_pe(), fmt::format("{}, {}", name, elements_));
    });
    return tensor;
  }

  // One for each rank.
  template <class PatternOf>
  std::vector<Tensor> parts(PatternOf pattern_of, const std::string& name) {
    std::vector<Tensor> tensors;
    for (int rank = 0; rank < ranks_; ++rank)
      tensors.push_back(tensor(part_, pattern_of(rank), fmt::format("{} {}", name, rank)));
    return tensors;
  }
  std::vector<Tensor> blank(const std::string& op) {
    return parts([](int) { return moved(0); }, op + " from");
  }

  void verify(const Tensor& tensor, const Pattern& expected) {
    torch_.verify(tensor, [expected, elements = tensor.shape().elements()] {
      return values(elements, expected);
    });
  }
  template <class PatternOf>
  void verify_all(const std::vector<Tensor>& tensors, PatternOf expected) {
    for (std::size_t rank = 0; rank < tensors.size(); ++rank)
      verify(tensors[rank], expected(static_cast<int>(rank)));
  }

  Torch& torch_;
  Distributed& dist_;
  int rank_, ranks_;
  std::int64_t elements_, part_;
  DType dtype_;
  bool ascending_;
};

void worker(Torch& torch, int rank) {
  const Attributes& given = torch.parameters();
  torch.ahbm.set_device(rank);
  torch.distributed.init_process_group("ahbm");
  const DType dtype = parse_dtype(given.text("dtype"));
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  for (const std::string& op : collective_op_names()) {
    if (given.text("op") != "all" && given.text("op") != op) continue;
    for (const std::int64_t bytes : sizes_in_bytes(given, dtype))
      Round(torch, rank, bytes / size).run(op);
  }
}

void run(Torch& torch) {
  torch.multiprocessing.spawn([&torch](int rank) { worker(torch, rank); },
                              torch.distributed.ranks_to_spawn());
}

}  // namespace

void register_collectives(BenchRegistry& registry) {
  std::vector<std::string> ops = collective_op_names();
  ops.insert(ops.begin(), "all");
  Bench bench{
      "collectives",
      "Every collective between all SIPs by size: time, algorithm bandwidth and bus bandwidth",
      {Parameter::choice("op", "which one", ops, "spec 7").default_val("all"),
       size_in_bytes("min_bytes",
                     "of a rank's data, the smallest; the next ones have four times as many", 1024),
       size_in_bytes("max_bytes", "of the largest", 65536),
       Parameter::choice("dtype", "of the elements", {"f16", "bf16", "f32", "i32"}, "spec 8.3")
           .default_val("f16")},
      &run};
  bench.per_device = false;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
