// Parts of a cross-entropy over the columns of logits{T, V}, which are cut over the PEs of a SIP
// and over ranks: each step leaves one value per row, in f32, that ranks can combine by an
// all_reduce.
//
// PEs combine their own columns by atomic accesses to the result in memory, which one PE
// initializes before a barrier. So the results are tensors {T} that all PEs of the SIP can address
// (spec 3.3), such as DPPolicy{row_wise, row_wise, 1, 1}. Sums of f32 in the order of service.
//
// Each call returns when its kernel has ended. UsageError: shapes or dtypes that do not fit,
// partial sums, results that are copies.
#pragma once

#include "sw/torch/torch.h"

namespace kernbench::ops {

// largest[t] = maximum of row t.
void row_max(Torch& torch, const Tensor& logits, const Tensor& largest);

// sum_exp[t] = sum of exp(logits[t][v] - largest[t]); predicted[t] = logits[t][targets[t] - first]
// - largest[t], or 0 if these columns of the vocabulary, which start at `first`, do not have the
// target. targets{T}: i32 in [0, vocabulary): tl.device_assert.
struct RowTerms {
  Tensor sum_exp, predicted;
};
void row_terms(Torch& torch, const Tensor& logits, const Tensor& targets, const Tensor& largest,
               std::int64_t first, std::int64_t vocabulary, const RowTerms& terms);

// loss[t] = log(sum_exp[t]) - predicted[t]; all three have one placement.
void loss_of(Torch& torch, const RowTerms& terms, const Tensor& loss);

}  // namespace kernbench::ops
