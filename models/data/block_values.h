// Bytes of a block of an operand, for engines that stream and compute (docs/contracts/engine.md).
#pragma once

#include <functional>
#include <vector>

#include "models/address/phys_range.h"
#include "models/base/block_reference.h"
#include "models/data/functional_model.h"

namespace kernbench {

// Physical ranges of addresses that commands use (AddressTranslation::translate_address).
using TranslateAddress = std::function<PhysRanges(std::uint64_t address, std::uint64_t nbytes)>;

// Current contents of memory, element by element, row by row. A store is visible from its issue, so
// an operand that has been overwritten since is no longer there. Empty if some of it is not known
// yet; eager mode waits for it. UsageError for a pinned block: values of handles are not in memory,
// use block_of().
std::vector<std::byte> memory_bytes(FunctionalModel& data, const BlockReference& block,
                                    const TranslateAddress& translate);

// Values that the command has bound at its issue, in the same order. PendingDataError if a value in
// it is pending; eager mode waits for it.
std::vector<std::byte> bound_bytes(FunctionalModel& data, const DataOp& op,
                                   const BlockReference& block);

}  // namespace kernbench
