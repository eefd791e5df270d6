// Collectives of one rank that check themselves: each makes its tensors, calls, and says what they
// have to become.
//
//   RankCheck check(torch, rank, ranks, DPPolicy::on_one_pe(), 1);
//   check.set(DType::f16, 1000);        // elements of each shard
//   check.reduce(ReduceOp::max, root);
//
// All ranks make the same calls.
#pragma once

#include <functional>
#include <vector>

#include "tests/distributed/patterns.h"
#include "tests/support/torch_machine.h"

namespace kernbench::test {

class RankCheck {
 public:
  RankCheck(Torch& torch, int rank, int ranks, const DPPolicy& policy, int shards)
      : torch_(torch), rank_(rank), ranks_(ranks), policy_(policy), shards_(shards) {}

  void set(DType dtype, std::int64_t elements) {
    dtype_ = dtype;
    elements_ = elements;
  }

  void all_reduce(ReduceOp op) {
    const Tensor t = tensor(op, ranks_, rank_);
    torch_.distributed.all_reduce(t, op);
    expect_combined(t, op);
  }

  void broadcast(int root) {
    const Tensor t = tensor(ReduceOp::sum, ranks_, rank_);
    torch_.distributed.broadcast(t, root);
    expect(t, ReduceOp::sum, ranks_, root);
  }

  void reduce(ReduceOp op, int root) {
    const Tensor t = tensor(op, ranks_, rank_);
    torch_.distributed.reduce(t, root, op);
    rank_ == root ? expect_combined(t, op) : expect(t, op, ranks_, rank_);
  }

  // Out of place the input stays as it is, and what the form in place does not change is left
  // alone.
  void all_reduce_out_of_place(ReduceOp op) {
    const Tensor t = tensor(op, ranks_, rank_), result = nines();
    torch_.distributed.all_reduce(result, t, op);
    expect_combined(result, op);
    expect(t, op, ranks_, rank_);
  }

  void broadcast_out_of_place(int root) {
    const Tensor t = tensor(ReduceOp::sum, ranks_, rank_), result = nines();
    torch_.distributed.broadcast(result, t, root);
    expect(result, ReduceOp::sum, ranks_, root);
    expect(t, ReduceOp::sum, ranks_, rank_);
  }

  void reduce_out_of_place(ReduceOp op, int root) {
    const Tensor t = tensor(op, ranks_, rank_), result = nines();
    torch_.distributed.reduce(result, t, root, op);
    if (rank_ == root) {
      expect_combined(result, op);
    } else {
      torch_.verify(result, [n = shards_ * elements_] {
        return std::vector<double>(static_cast<std::size_t>(n), 9);
      });
    }
    expect(t, op, ranks_, rank_);
  }

  void all_gather() {
    const std::vector<Tensor> outputs = blank();
    torch_.distributed.all_gather(outputs, tensor(ReduceOp::sum, ranks_, rank_));
    for (int source = 0; source < ranks_; ++source)
      expect(outputs[at(source)], ReduceOp::sum, ranks_, source);
  }

  // The own part is there already: nothing but it may be input and output.
  void all_gather_in_place() {
    std::vector<Tensor> outputs = blank();
    outputs[at(rank_)] = tensor(ReduceOp::sum, ranks_, rank_);
    torch_.distributed.all_gather(outputs, outputs[at(rank_)]);
    for (int source = 0; source < ranks_; ++source)
      expect(outputs[at(source)], ReduceOp::sum, ranks_, source);
  }

  void reduce_scatter_in_place(ReduceOp op) {
    std::vector<Tensor> inputs;
    for (int target = 0; target < ranks_; ++target)
      inputs.push_back(tensor(op, ranks_, rank_, target));
    torch_.distributed.reduce_scatter(inputs[at(rank_)], inputs, op);
    expect_combined(inputs[at(rank_)], op, rank_);
  }

  // Every rank has the same for all targets but for a shift, so that parts which go astray show.
  void reduce_scatter(ReduceOp op) {
    std::vector<Tensor> inputs;
    for (int target = 0; target < ranks_; ++target)
      inputs.push_back(tensor(op, ranks_, rank_, target));
    const Tensor output = torch_.empty(shape(), dtype_, policy_, "output");
    torch_.distributed.reduce_scatter(output, inputs, op);
    expect_combined(output, op, rank_);
  }

  void all_to_all() {
    std::vector<Tensor> inputs;
    for (int target = 0; target < ranks_; ++target)
      inputs.push_back(tensor(ReduceOp::sum, ranks_ * ranks_, rank_ * ranks_ + target));
    const std::vector<Tensor> outputs = blank();
    torch_.distributed.all_to_all(outputs, inputs);
    for (int source = 0; source < ranks_; ++source)
      expect(outputs[at(source)], ReduceOp::sum, ranks_ * ranks_, source * ranks_ + rank_);
  }

  // The root gathers and scatters through tensors of its own, or in place.
  void gather(int root, bool in_place = false) {
    std::vector<Tensor> outputs = rank_ == root ? blank() : std::vector<Tensor>();
    const Tensor mine = tensor(ReduceOp::sum, ranks_, rank_);
    if (in_place && rank_ == root) outputs[at(rank_)] = mine;
    torch_.distributed.gather(mine, outputs, root);
    for (std::size_t source = 0; source < outputs.size(); ++source)
      expect(outputs[source], ReduceOp::sum, ranks_, static_cast<int>(source));
    expect(mine, ReduceOp::sum, ranks_, rank_);
  }

  void scatter(int root, bool in_place = false) {
    std::vector<Tensor> inputs;
    for (int target = 0; rank_ == root && target < ranks_; ++target)
      inputs.push_back(tensor(ReduceOp::sum, ranks_, root, target));
    const Tensor mine = in_place && rank_ == root
                            ? inputs[at(rank_)]
                            : torch_.empty(shape(), dtype_, policy_, "output");
    torch_.distributed.scatter(mine, inputs, root);
    expect(mine, ReduceOp::sum, ranks_, root, rank_);
    for (std::size_t target = 0; target < inputs.size(); ++target)
      expect(inputs[target], ReduceOp::sum, ranks_, root, static_cast<std::int64_t>(target));
  }

  // From each rank to the next one, two messages, which are distinguished by their order. Even
  // ranks send first: 4500 elements are more than a ring holds, so that a send of them ends only
  // once the peer receives.
  void send_recv() {
    if (ranks_ == 1) return;
    const int next = (rank_ + 1) % ranks_, previous = (rank_ + ranks_ - 1) % ranks_;
    const Tensor first = tensor(ReduceOp::sum, ranks_, rank_),
                 second = tensor(ReduceOp::sum, ranks_, rank_, 1);
    const Tensor came = torch_.empty(shape(), dtype_, policy_, "came"),
                 then = torch_.empty(shape(), dtype_, policy_, "then");
    const auto send_both = [&] {
      torch_.distributed.send(first, next, true);
      torch_.distributed.send(second, next);
    };
    if (rank_ % 2 == 0) send_both();
    torch_.distributed.recv(came, previous);
    torch_.distributed.recv(then, previous);
    if (rank_ % 2 == 1) send_both();
    expect(came, ReduceOp::sum, ranks_, previous);
    expect(then, ReduceOp::sum, ranks_, previous, 1);
  }

 private:
  Shape shape() const { return {shards_, elements_}; }
  Tensor nines() { return torch_.full(shape(), 9, dtype_, policy_, "nines"); }
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  // Of contributor c of n: shard by shard a pattern of its own, `shift` elements further on.
  std::function<double(std::int64_t)> of(ReduceOp op, int n, int c, std::int64_t shift) const {
    return [=, elements = elements_](std::int64_t i) {
      return pattern(op, c, n, i % elements + i / elements + shift);
    };
  }

  Tensor tensor(ReduceOp op, int n, int c, std::int64_t shift = 0) {
    Tensor made;
    torch_.untimed([&] {
      made = torch_.from_host(
          HostArray(shape(), dtype_, values(shape().elements(), of(op, n, c, shift))), policy_,
          "data");
    });
    return made;
  }

  std::vector<Tensor> blank() {
    std::vector<Tensor> tensors;
    for (int rank = 0; rank < ranks_; ++rank)
      tensors.push_back(torch_.empty(shape(), dtype_, policy_, "output"));
    return tensors;
  }

  void expect(const Tensor& t, ReduceOp op, int n, int c, std::int64_t shift = 0) {
    torch_.verify(
        t, [all = shape().elements(), value = of(op, n, c, shift)] { return values(all, value); });
  }

  void expect_combined(const Tensor& t, ReduceOp op, std::int64_t shift = 0) {
    torch_.verify(
        t,
        [=, all = shape().elements(), elements = elements_, n = ranks_] {
          return values(all, [&](std::int64_t i) {
            return combined(op, n, i % elements + i / elements + shift);
          });
        },
        accuracy_of(op, ranks_));
  }

  Torch& torch_;
  const int rank_, ranks_;
  const DPPolicy policy_;
  const int shards_;
  DType dtype_ = DType::f16;
  std::int64_t elements_ = 1;
};

}  // namespace kernbench::test
