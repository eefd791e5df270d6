// Keys of a point that can be varied: parameters of its bench, keys of its topology and of
// ccl.yaml, with their resolved values.
#pragma once

#include <string>
#include <vector>

#include "platform/sweep/sensitivity.h"

namespace kernbench {

// Keys that match one of the patterns, in the order of bench, topology, ccl.yaml, with their
// variations around the value of the point. `words`: the point as a `run` command. Loads the
// plug-ins of the point. UsageError and ConfigError: a pattern that no key matches; a point that is
// not valid itself.
std::vector<VariedKey> keys_around(const std::vector<std::string>& words,
                                   const std::vector<std::string>& patterns, double step);

}  // namespace kernbench
