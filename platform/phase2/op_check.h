// `--verify-data=ops`: every value that phase 2 has computed against the reference of its operation
// (spec 9). Inputs are taken as they are, so that an error counts where it arises and not behind.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/data/data_op.h"
#include "platform/phase2/stop.h"
#include "platform/phase2/verify.h"

namespace kernbench {

enum class ComputedKind : std::uint8_t {
  gemm,
  element_wise,
  reduction,
  conversion,
  scan,
  sort,
  move
};
inline constexpr std::size_t computed_kinds = 7;
ComputedKind computed_kind(const DataOp& op);
const char* name_of(ComputedKind kind);  // "gemm", "element-wise", ...

struct OpFailure {
  DataOpPtr op;
  Comparison comparison;
};

struct OpCheck {
  std::array<std::uint64_t, computed_kinds> checked{};  // by kind
  std::vector<OpFailure> failures;                      // by op id

  OpCheck& operator+=(const OpCheck& later);
  std::uint64_t total() const;
  std::string summary() const;  // "12 gemm, 40 element-wise"
};

// The output of one op: dense, of the op's output dtype.
Comparison check_op(const DataOp& op, const std::byte* output, const ValueLookup& values,
                    const StopQuestion& stop = {});
// `values` gives every value that `ops` define or read; it is called on `threads` threads at once.
// StoppedError on a stop request.
OpCheck check_ops(const std::vector<DataOpPtr>& ops, const ValueLookup& values, unsigned threads,
                  const StopQuestion& stop = {});

}  // namespace kernbench
