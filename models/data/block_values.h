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

// What memory holds now, element by element, row by row. A store is visible from its issue, so that
// an operand which something has overwritten since is no longer there. Empty if some of it is not
// known yet; in eager mode it is waited for. UsageError for a pinned block: values of handles are
// not in memory, block_of() tells them.
std::vector<std::byte> memory_bytes(FunctionalModel& data, const BlockReference& block,
                                    const TranslateAddress& translate);

// What the command has bound at its issue, in the same order. PendingDataError if a value in it is
// pending; in eager mode it is waited for.
std::vector<std::byte> bound_bytes(FunctionalModel& data, const DataOp& op,
                                   const BlockReference& block);

}  // namespace kernbench
