// Bench: a host program with a name and parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/data/functional_model.h"
#include "sw/torch/torch.h"

namespace kernbench {

struct Bench {
  std::string name;         // kebab-case
  std::string description;  // one line
  ParameterSchema parameters;
  void (*run)(Torch& torch) = nullptr;
  bool per_device = true;  // false: collectives and evaluations, which use several SIPs
                           // themselves and ignore --device
  DataMode needs_data = DataMode::off;  // minimum: deferred if kernels branch on loaded values,
                                        // eager if on computed ones
  bool measures_transfers = false;      // uses torch.transfers()
};

// Parameter from the command line.
using GivenParameter = std::pair<std::string, std::string>;

// Values of all parameters of the bench: given, or default. UsageError, with the allowed ones, for
// an unknown or repeated parameter and for an invalid value.
Attributes resolve_parameters(const Bench& bench, const std::vector<GivenParameter>& given);

}  // namespace kernbench
