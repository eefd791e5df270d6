#include "models/data/block_values.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/data/debug_access.h"

namespace kernbench {
namespace {

// Returns false if some of the bytes are not known.
bool append(std::vector<std::byte>& bytes, FunctionalModel& data, const PhysRanges& ranges) {
  for (const PhysRange& range : ranges) {
    const std::vector<std::byte> part = known_bytes(data, range.pa, range.nbytes);
    if (part.size() != range.nbytes) return false;
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return true;
}

}  // namespace

std::vector<std::byte> memory_bytes(FunctionalModel& data, const BlockReference& block,
                                    const TranslateAddress& translate) {
  if (block.pinned)
    throw UsageError(
        fmt::format("bytes of a block at 0x{:x} in the TCM: values of handles are not in memory",
                    block.address));
  const TensorLayout& at = block.layout;
  const std::uint64_t size = size_of(block.dtype);
  const bool contiguous = at.column_stride == static_cast<std::int64_t>(size);
  const std::int64_t run = contiguous ? at.columns : 1;  // consecutive elements
  std::vector<std::byte> bytes;
  for (std::int64_t row = 0; row < at.rows; ++row) {
    for (std::int64_t column = 0; column < at.columns; column += run) {
      const PhysRanges ranges =
          translate(block.address_of(row, column), static_cast<std::uint64_t>(run) * size);
      if (!append(bytes, data, ranges)) return {};
    }
  }
  return bytes;
}

std::vector<std::byte> bound_bytes(FunctionalModel& data, const DataOp& op,
                                   const BlockReference& block) {
  return data.bytes(block_of(op.inputs.at(static_cast<std::size_t>(block.input)), block));
}

}  // namespace kernbench
