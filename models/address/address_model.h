// How addresses in kernels become physical ones (spec 3.3).
#pragma once

#include <cstdint>

namespace kernbench {

enum class AddressModel : std::uint8_t { pa, va, la };

}  // namespace kernbench
