#include "sw/benches/collective_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/benches/reference.h"

namespace kernbench::benches {
namespace {

std::vector<double> values(std::int64_t elements, const std::array<double, 5>& pattern) {
  std::vector<double> all(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = pattern.at(i % pattern.size());
  return all;
}

double bitwise(ReduceOp op, double a, double b) {
  const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
  return op == ReduceOp::band ? x & y : op == ReduceOp::bor ? x | y : x ^ y;
}

}  // namespace

bool has_form(CollectiveOp op, CallForm form) {
  return form == CallForm::out_of_place ||
         (op != CollectiveOp::all_to_all && op != CollectiveOp::send_recv);
}

std::int64_t elements_of_a_part(CollectiveOp op, std::int64_t elements, int ranks) {
  return has_a_part_for_each_rank(op) ? std::max<std::int64_t>(1, elements / ranks) : elements;
}

CollectiveRound::CollectiveRound(Torch& torch, int rank, const RoundOptions& options,
                                 std::shared_ptr<DeferredCounter> wrong)
    : torch_(torch), dist_(torch.distributed), options_(options), rank_(rank),
      ranks_(dist_.get_world_size()),
      part_(elements_of_a_part(options.op, options.elements, ranks_)),
      ascending_(1.5 * ranks_ * ranks_ + 4.0 * ranks_ <= reference::exact_up_to(options.dtype)),
      wrong_(std::move(wrong)) {}

Fs CollectiveRound::run() {
  return options_.op == CollectiveOp::send_recv ? shift() : call().time();
}

Work CollectiveRound::call() {
  switch (options_.op) {
    case CollectiveOp::broadcast:
      return broadcast();
    case CollectiveOp::reduce:
      return reduce();
    case CollectiveOp::all_gather:
      return all_gather();
    case CollectiveOp::reduce_scatter:
      return reduce_scatter();
    case CollectiveOp::all_to_all:
      return all_to_all();
    case CollectiveOp::gather:
      return gather();
    case CollectiveOp::scatter:
      return scatter();
    default:
      return all_reduce();
  }
}

// --- calls

Work CollectiveRound::all_reduce() {
  const Tensor data = tensor(options_.elements, summand(rank_), "all_reduce");
  const Tensor result = in_place() ? data : blank("all_reduce to");
  dist_.barrier();
  const Work work = in_place() ? dist_.all_reduce(data, options_.reduce_op)
                               : dist_.all_reduce(result, data, options_.reduce_op);
  verify(result, combined(0));
  return work;
}

Work CollectiveRound::broadcast() {
  const Tensor data = tensor(options_.elements, moved(rank_ + 1), "broadcast");
  const Tensor result = in_place() ? data : blank("broadcast to");
  dist_.barrier();
  const Work work = in_place() ? dist_.broadcast(data, options_.root)
                               : dist_.broadcast(result, data, options_.root);
  verify(result, moved(options_.root + 1));
  return work;
}

// Only the root's tensor changes.
Work CollectiveRound::reduce() {
  const Tensor data = tensor(options_.elements, summand(rank_), "reduce");
  const Tensor result = in_place() ? data : blank("reduce to");
  dist_.barrier();
  const Work work = in_place() ? dist_.reduce(data, options_.root, options_.reduce_op)
                               : dist_.reduce(result, data, options_.root, options_.reduce_op);
  verify(result, rank_ == options_.root ? combined(0) : in_place() ? summand(rank_) : moved(0));
  return work;
}

Work CollectiveRound::all_gather() {
  Tensors gathered = blank_parts();
  const Tensor mine = tensor(part_, moved(rank_ + 1), "part");
  if (in_place()) gathered[own()] = mine;
  dist_.barrier();
  const Work work = dist_.all_gather(gathered, mine);
  verify_all(gathered, [](int from) { return moved(from + 1); });
  return work;
}

Work CollectiveRound::reduce_scatter() {
  const Tensors list = parts([&](int to) { return summand(rank_ + to); }, "for");
  const Tensor mine = in_place() ? list[own()] : tensor(part_, moved(0), "reduce_scatter");
  dist_.barrier();
  const Work work = dist_.reduce_scatter(mine, list, options_.reduce_op);
  verify(mine, combined(rank_));
  return work;
}

Work CollectiveRound::all_to_all() {
  const Tensors received = blank_parts();
  const Tensors sent = parts([&](int to) { return moved(ranks_ * rank_ + to + 1); }, "for");
  dist_.barrier();
  const Work work = dist_.all_to_all(received, sent);
  verify_all(received, [&](int from) { return moved(ranks_ * from + rank_ + 1); });
  return work;
}

Work CollectiveRound::gather() {
  const Tensor mine = tensor(part_, moved(rank_ + 1), "part");
  Tensors gathered;
  if (rank_ == options_.root) {
    gathered = blank_parts();
    if (in_place()) gathered[own()] = mine;
  }
  dist_.barrier();
  const Work work = dist_.gather(mine, gathered, options_.root);
  verify_all(gathered, [](int from) { return moved(from + 1); });
  return work;
}

Work CollectiveRound::scatter() {
  Tensors list;
  if (rank_ == options_.root) list = parts([](int to) { return moved(to + 1); }, "for");
  const bool own_part = in_place() && rank_ == options_.root;
  const Tensor mine = own_part ? list[own()] : tensor(part_, moved(0), "scatter");
  dist_.barrier();
  const Work work = dist_.scatter(mine, list, options_.root);
  verify(mine, moved(rank_ + 1));
  return work;
}

// Every rank sends to the next one and receives from the previous one.
Fs CollectiveRound::shift() {
  const int next = (rank_ + 1) % ranks_, previous = (rank_ + ranks_ - 1) % ranks_;
  const Tensor sent = tensor(options_.elements, moved(rank_ + 1), "send_recv");
  const Tensor received = blank("send_recv from");
  dist_.barrier();
  Work sending = dist_.isend(sent, next), receiving = dist_.irecv(received, previous);
  sending.wait();
  receiving.wait();
  verify(received, moved(previous + 1));
  return std::max(sending.time(), receiving.time());
}

// --- data. Numbers identify data: those of a rank by the rank, a part by its sender and receiver.
// Each number has its own pattern.

// Exact in every element type.
CollectiveRound::Pattern CollectiveRound::moved(int number) {
  const double first = number % 251;
  return {first, first + 1, first + 2, first + 3, first + 4};
}

// Exact when added in any order: sums over consecutive ranks stay small.
CollectiveRound::Pattern CollectiveRound::summand(int number) const {
  if (options_.reduce_op == ReduceOp::prod) return factor(number);
  Pattern pattern{};
  for (int i = 0; i < 5; ++i)
    pattern.at(static_cast<std::size_t>(i)) = ascending_ ? number + i : (number + i) % 5 - 2;
  return pattern;
}

// Exact when multiplied: of `ranks` consecutive numbers only one has factors other than 1 and -1.
CollectiveRound::Pattern CollectiveRound::factor(int number) const {
  Pattern pattern{};
  for (int i = 0; i < 5; ++i)
    pattern.at(static_cast<std::size_t>(i)) =
        ((number + i) % 2 == 0 ? 1 : -1) * (number % ranks_ == 0 ? i + 2 : 1);
  return pattern;
}

// Combination of the summands of all ranks, each numbered `more` higher.
CollectiveRound::Pattern CollectiveRound::combined(int more) const {
  Pattern result = summand(more);
  for (int rank = 1; rank < ranks_; ++rank) {
    const Pattern next = summand(rank + more);
    for (std::size_t i = 0; i < result.size(); ++i) {
      double& value = result.at(i);
      switch (options_.reduce_op) {
        case ReduceOp::max:
          value = std::max(value, next.at(i));
          break;
        case ReduceOp::min:
          value = std::min(value, next.at(i));
          break;
        case ReduceOp::prod:
          value *= next.at(i);
          break;
        case ReduceOp::band:
        case ReduceOp::bor:
        case ReduceOp::bxor:
          value = bitwise(options_.reduce_op, value, next.at(i));
          break;
        default:
          value += next.at(i);
      }
    }
  }
  if (options_.reduce_op == ReduceOp::avg) {
    for (double& value : result)
      value = is_float(options_.dtype) ? value / ranks_ : std::trunc(value / ranks_);
  }
  return result;
}

Tensor CollectiveRound::tensor(std::int64_t elements, const Pattern& pattern,
                               const std::string& name) {
  Tensor tensor;
  torch_.untimed([&] {
    tensor = torch_.from_host(HostArray({elements}, options_.dtype, values(elements, pattern)),
                              DPPolicy::on_one_pe(), fmt::format("{}, {}", name, elements));
  });
  return tensor;
}

CollectiveRound::Tensors CollectiveRound::parts(const PatternOf& pattern_of,
                                                const std::string& name) {
  Tensors tensors;
  for (int rank = 0; rank < ranks_; ++rank)
    tensors.push_back(tensor(part_, pattern_of(rank), fmt::format("{} {}", name, rank)));
  return tensors;
}

CollectiveRound::Tensors CollectiveRound::blank_parts() {
  return parts([](int) { return moved(0); }, std::string(name_of(options_.op)) + " from");
}

void CollectiveRound::verify(const Tensor& tensor, const Pattern& expected) {
  torch_.verify(
      tensor,
      [expected, elements = tensor.shape().elements()] { return values(elements, expected); }, 1,
      wrong_);
}

void CollectiveRound::verify_all(const Tensors& tensors, const PatternOf& expected) {
  for (std::size_t rank = 0; rank < tensors.size(); ++rank)
    verify(tensors[rank], expected(static_cast<int>(rank)));
}

}  // namespace kernbench::benches
