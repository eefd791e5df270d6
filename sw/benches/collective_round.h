// CollectiveRound: one collective between all ranks, with one size and form, as in nccl-tests: the
// tensors of a rank, the call, and the expected result.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/torch/torch.h"

namespace kernbench::benches {

enum class CallForm : std::uint8_t { out_of_place, in_place };

struct RoundOptions {
  CollectiveOp op = CollectiveOp::all_reduce;
  CallForm form = CallForm::out_of_place;
  ReduceOp reduce_op = ReduceOp::sum;
  int root = 0;
  DType dtype = DType::f16;
  std::int64_t elements = 1;  // elements of a rank; over all its parts if it has one per rank
};

// Whether the operation has this form; all_to_all and messages have one buffer per direction.
bool has_form(CollectiveOp op, CallForm form);
// Elements of each part, or of the whole: the count that nccl-tests print.
std::int64_t elements_of_a_part(CollectiveOp op, std::int64_t elements, int ranks);

class CollectiveRound {
 public:
  CollectiveRound(Torch& torch, int rank, const RoundOptions& options,
                  std::shared_ptr<DeferredCounter> wrong);

  // Returns the largest pe_exec on this rank, measured from a barrier. Counts wrong elements.
  Fs run();

 private:
  // Values of a tensor: element i has value i mod 5 of the pattern.
  using Pattern = std::array<double, 5>;
  using Tensors = std::vector<Tensor>;
  using PatternOf = std::function<Pattern(int)>;

  Work call();
  Work all_reduce(), broadcast(), reduce(), all_gather(), reduce_scatter(), all_to_all(), gather(),
      scatter();
  Fs shift();

  static Pattern moved(int number);
  Pattern summand(int number) const;
  Pattern factor(int number) const;
  Pattern combined(int more) const;

  Tensor tensor(std::int64_t elements, const Pattern& pattern, const std::string& name);
  Tensors parts(const PatternOf& pattern_of, const std::string& name);
  Tensor blank(const std::string& name) { return tensor(options_.elements, moved(0), name); }
  Tensors blank_parts();
  void verify(const Tensor& tensor, const Pattern& expected);
  void verify_all(const Tensors& tensors, const PatternOf& expected);
  bool in_place() const { return options_.form == CallForm::in_place; }
  std::size_t own() const { return static_cast<std::size_t>(rank_); }

  Torch& torch_;
  Distributed& dist_;
  RoundOptions options_;
  int rank_, ranks_;
  std::int64_t part_;
  bool ascending_;
  std::shared_ptr<DeferredCounter> wrong_;
};

}  // namespace kernbench::benches
