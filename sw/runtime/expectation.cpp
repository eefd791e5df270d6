#include "sw/runtime/expectation.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/runtime/block_runs.h"

namespace kernbench {

std::vector<double> Expectation::part(const std::vector<double>& reference_values,
                                      const ExpectedBlock& block) const {
  if (static_cast<std::int64_t>(reference_values.size()) != shape.elements()) {
    throw UsageError(fmt::format("tensor '{}' {}: the reference has {} values", name, shape.str(),
                                 reference_values.size()));
  }
  std::vector<double> values(static_cast<std::size_t>(block.value.shape.elements()));
  tl::Block place;
  place.shape = block.value.shape;
  place.start = block.start;
  for_each_run(shape, place, [&](std::int64_t whole, std::int64_t local, std::int64_t count) {
    std::copy_n(reference_values.begin() + whole, count, values.begin() + local);
  });
  return values;
}

}  // namespace kernbench
