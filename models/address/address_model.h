// Address models: translation of kernel addresses to physical ones, and their mapping to the
// channels of an HBM partition (spec 3.3).
#pragma once

#include <cstdint>

namespace kernbench {

enum class AddressModel : std::uint8_t { pa, va, la };

// An LA segment: one request to the partition, or one to each of its channels that is touched.
enum class HbmMapping : std::uint8_t { n_to_one, one_to_one };

}  // namespace kernbench
