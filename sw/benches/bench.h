// A bench: a host program with a name, and the parameters that it takes.
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
  bool per_device = true;  // false: collectives and evaluations, which use several SIPs themselves
                           // and ignore --device
  DataMode needs_data = DataMode::off;  // at least: deferred if kernels branch on values that they
                                        // load, eager if on computed ones
};

// A parameter as given on the command line.
using GivenParameter = std::pair<std::string, std::string>;

// Every parameter of the bench with its value: given, or its default. UsageError for an unknown or
// repeated one and for a value that is not allowed, with what is.
Attributes resolve_parameters(const Bench& bench, const std::vector<GivenParameter>& given);

}  // namespace kernbench
