// Rows of a table by index (torch.nn.functional.embedding).
#pragma once

#include "sw/torch/torch.h"

namespace kernbench::ops {

// out{T, H}: row i is row ids[i] - first_id of table{rows, H}, or zeros if the table does not have
// it: a part of a vocabulary that starts at `first_id`. ids{T} are i32 in [0, vocabulary). Each PE
// gathers the elements of its part of `out`. Returns when the kernel has ended. UsageError: shapes
// or dtypes that do not fit, partial sums; data off, as the addresses depend on the values of ids.
// LaunchError: an id outside of the vocabulary.
void embedding(Torch& torch, const Tensor& table, const Tensor& ids, const Tensor& out,
               std::int64_t first_id, std::int64_t vocabulary);

}  // namespace kernbench::ops
