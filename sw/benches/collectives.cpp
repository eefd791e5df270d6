// collectives: every collective between all SIPs, by size, as nccl-tests run them: on PE 0 of cube 0 of each SIP.
#include <algorithm>

#include "sw/benches/inputs.h"
#include "sw/benches/shipped.h"

namespace kernbench::benches {
namespace {

const std::vector<std::string> every_op{"all_reduce",     "broadcast",  "reduce",   "all_gather",
                                        "reduce_scatter", "all_to_all", "send_recv"};

// One size: every op on tensors of its own, each verified. Element i of what is numbered n is n + i mod 5: a rank's data are
// numbered by the rank, a part of them by its sender and receiver.
class Round {
 public:
  Round(Torch& torch, int rank, std::int64_t elements)
      : torch_(torch), dist_(torch.distributed), rank_(rank), ranks_(dist_.get_world_size()), elements_(elements),
        part_(std::max<std::int64_t>(1, elements / ranks_)), dtype_(parse_dtype(torch.parameters().text("dtype"))) {}

  void run(const std::string& op) {
    dist_.barrier();
    const int last = ranks_ - 1;
    if (op == "all_reduce") {
      const Tensor data = numbered(elements_, rank_, op);
      dist_.all_reduce(data);
      verify(data, sum(0), ranks_);
    } else if (op == "broadcast") {
      const Tensor data = numbered(elements_, rank_, op);
      dist_.broadcast(data, last);
      verify(data, last);
    } else if (op == "reduce") {
      const Tensor data = numbered(elements_, rank_, op);
      dist_.reduce(data, last);
      rank_ == last ? verify(data, sum(0), ranks_) : verify(data, rank_);
    } else if (op == "all_gather") {
      const std::vector<Tensor> gathered = parts([](int) { return 0; }, op + " from");
      dist_.all_gather(gathered, numbered(part_, rank_, "part"));
      for (int from = 0; from < ranks_; ++from) verify(gathered[static_cast<std::size_t>(from)], from);
    } else if (op == "reduce_scatter") {
      const Tensor part = numbered(part_, 0, op);
      dist_.reduce_scatter(part, parts([&](int to) { return rank_ + to; }, "for"));
      verify(part, sum(rank_), ranks_);
    } else if (op == "all_to_all") {
      const std::vector<Tensor> received = parts([](int) { return 0; }, op + " from");
      dist_.all_to_all(received, parts([&](int to) { return ranks_ * rank_ + to; }, "for"));
      for (int from = 0; from < ranks_; ++from) verify(received[static_cast<std::size_t>(from)], ranks_ * from + rank_);
    } else if (ranks_ > 1 && (rank_ == 0 || rank_ == last)) {
      const Tensor data = numbered(elements_, rank_, op);
      rank_ == 0 ? dist_.send(data, last) : dist_.recv(data, 0);
      verify(data, 0);
    }
  }

 private:
  // Of the numbers of all ranks, each `more` higher.
  int sum(int more) const { return ranks_ * (ranks_ - 1) / 2 + ranks_ * more; }

  // `times`: how many tensors are added up in it.
  static std::vector<double> values(std::int64_t elements, int number, int times) {
    std::vector<double> all;
    for (std::int64_t i = 0; i < elements; ++i) all.push_back(number + times * static_cast<double>(i % 5));
    return all;
  }

  Tensor numbered(std::int64_t elements, int number, const std::string& name) {
    Tensor tensor;
    torch_.untimed([&] {
      tensor = torch_.from_host(HostArray({elements}, dtype_, values(elements, number, 1)), DPPolicy::on_one_pe(),
                                name + ", " + std::to_string(elements_));
    });
    return tensor;
  }

  // One for each rank.
  template <class Number>
  std::vector<Tensor> parts(Number number, const std::string& name) {
    std::vector<Tensor> tensors;
    for (int rank = 0; rank < ranks_; ++rank) tensors.push_back(numbered(part_, number(rank), name + " " + std::to_string(rank)));
    return tensors;
  }

  void verify(const Tensor& tensor, int number, int times = 1) {
    torch_.verify(tensor, [number, times, elements = tensor.shape().elements()] { return values(elements, number, times); });
  }

  Torch& torch_;
  Distributed& dist_;
  int rank_, ranks_;
  std::int64_t elements_, part_;
  DType dtype_;
};

void worker(Torch& torch, int rank) {
  const Attributes& given = torch.parameters();
  torch.ahbm.set_device(rank);
  torch.distributed.init_process_group("ahbm");
  const DType dtype = parse_dtype(given.text("dtype"));
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  for (const std::string& op : every_op) {
    if (given.text("op") != "all" && given.text("op") != op) continue;
    for (const std::int64_t bytes : sizes_in_bytes(given, dtype)) Round(torch, rank, bytes / size).run(op);
  }
}

void run(Torch& torch) {
  torch.multiprocessing.spawn([&torch](int rank) { worker(torch, rank); }, torch.ahbm.device_count());
}

}  // namespace

Bench collectives() {
  std::vector<std::string> ops = every_op;
  ops.insert(ops.begin(), "all");
  Bench bench{"collectives",
              "Every collective between all SIPs by size: time, algorithm bandwidth and bus bandwidth",
              {Parameter::choice("op", "which one", ops, "spec 7").default_val("all"),
               size_in_bytes("min_bytes", "of a rank's data, the smallest; the next ones have four times as many", 1024),
               size_in_bytes("max_bytes", "of the largest", 65536),
               Parameter::choice("dtype", "of the elements", {"f16", "bf16", "f32", "i32"}, "spec 8.3").default_val("f16")},
              &run};
  bench.per_device = false;
  return bench;
}

}  // namespace kernbench::benches
